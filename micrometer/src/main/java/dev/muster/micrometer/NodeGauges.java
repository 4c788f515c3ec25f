package dev.muster.micrometer;

import dev.muster.Muster;
import dev.muster.NodeState;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is read from the node itself whenever a registry asks, without asking the database. A registry reads all gauges one after the other.
 * They share one answer of the node, because each answer measures the load of the CPU since the one before, which heartbeats report, too.
 */
final class NodeGauges {
    private static final long SHARED_NANOS = Duration.ofMillis(200).toNanos();

    private final Muster muster;
    /** Not that of the node, which tests may stop. */
    private final Clock clock = Clock.system();

    private @Nullable NodeState last;
    private long readAt;

    NodeGauges(Muster muster) {
        this.muster = muster;
    }

    private synchronized NodeState state() {
        NodeState state = last;
        if (state == null || clock.nanos() - readAt > SHARED_NANOS) {
            state = muster.state();
            last = state;
            readAt = clock.nanos();
        }
        return state;
    }

    /** The executors of a node are those of its settings, so they are known from the beginning. */
    void addTo(Meters meters) {
        for (NodeStatus status : NodeStatus.known()) {
            meters.gauge(MeterName.NODE_STATUS, () -> state().status() == status ? 1 : 0, status.text());
        }
        meters.gauge(MeterName.JOBS_RUNNING, () -> state().load().jobs());
        meters.gauge(MeterName.CONNECTIONS, () -> state().load().connections());
        for (ExecutorInfo executor : state().load().executors()) {
            add(meters, MeterName.EXECUTOR_SLOTS, executor, ExecutorInfo::size);
            add(meters, MeterName.EXECUTOR_RUNNING, executor, ExecutorInfo::running);
            add(meters, MeterName.EXECUTOR_STUCK, executor, ExecutorInfo::stuck);
        }
    }

    private void add(Meters meters, MeterName name, ExecutorInfo executor, ToIntFunction<ExecutorInfo> figure) {
        meters.gauge(
                name,
                () -> state().load().executors().stream()
                        .filter(one -> one.name().equals(executor.name()))
                        .mapToInt(figure)
                        .findFirst()
                        .orElse(0),
                executor.name(),
                executor.kind());
    }
}
