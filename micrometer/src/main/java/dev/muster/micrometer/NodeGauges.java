package dev.muster.micrometer;

import dev.muster.Muster;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeStatus;
import java.util.function.ToIntFunction;

/** What is read from the node itself whenever a registry asks, without asking the database. */
final class NodeGauges {
    private final Muster muster;

    NodeGauges(Muster muster) {
        this.muster = muster;
    }

    /** The executors of a node are those of its settings, so they are known from the beginning. */
    void addTo(Meters meters) {
        for (NodeStatus status : NodeStatus.values()) {
            meters.gauge(MeterName.NODE_STATUS, () -> muster.state().status() == status ? 1 : 0, status.text());
        }
        meters.gauge(MeterName.JOBS_RUNNING, () -> muster.state().load().jobs());
        meters.gauge(MeterName.CONNECTIONS, () -> muster.state().load().connections());
        for (ExecutorInfo executor : muster.state().load().executors()) {
            add(meters, MeterName.EXECUTOR_SLOTS, executor, ExecutorInfo::size);
            add(meters, MeterName.EXECUTOR_RUNNING, executor, ExecutorInfo::running);
            add(meters, MeterName.EXECUTOR_STUCK, executor, ExecutorInfo::stuck);
        }
    }

    private void add(Meters meters, MeterName name, ExecutorInfo executor, ToIntFunction<ExecutorInfo> figure) {
        meters.gauge(
                name,
                () -> muster.state().load().executors().stream()
                        .filter(one -> one.name().equals(executor.name()))
                        .mapToInt(figure)
                        .findFirst()
                        .orElse(0),
                executor.name(),
                executor.kind());
    }
}
