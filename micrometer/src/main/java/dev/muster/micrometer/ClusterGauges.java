package dev.muster.micrometer;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.job.QueueInfo;
import dev.muster.runtime.Clock;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What only the database knows: whether it answers, the depth of the queues and the state of the nodes.
 *
 * <pre>
 *   fresh ── 10 s ──▶ old ── a registry reads the gauges ──▶ being read, by a thread of its own ──▶ fresh
 * </pre>
 *
 * A registry that reads the gauges gets the figures of the reading before, and begins the next one. So figures are as old as the registry's
 * interval, nobody waits for the database, and without a registry that reads nobody asks it. Only the leader asks for queues and nodes; a node
 * that does not lead has no gauges for them. A reading that takes longer than {@link #PATIENCE} shows that the database does not answer. Before
 * the first reading, and after the node has left, it is not known whether it does. Thread-safe.
 */
final class ClusterGauges {
    private static final Logger log = LoggerFactory.getLogger(ClusterGauges.class);
    static final Duration FRESH = Duration.ofSeconds(10);
    static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final List<MeterName> OF_CLUSTER =
            List.of(MeterName.QUEUE_JOBS, MeterName.QUEUE_OLDEST_DUE, MeterName.QUEUE_PAUSED, MeterName.NODES);

    private final BooleanSupplier reachable;
    private final Supplier<List<QueueInfo>> queues;
    private final Supplier<List<NodeInfo>> nodes;
    private final BooleanSupplier leads;
    private final BooleanSupplier gone;
    private final Clock clock;
    private final Map<MeterName, MultiGauge> gauges = new EnumMap<>(MeterName.class);
    private boolean reading;
    private long begunAt;
    private @Nullable Long readAt;
    private boolean up;
    private volatile boolean closed;

    /**
     * @param leads whether this node is the one that asks for the figures of the cluster
     * @param gone whether the node has left the cluster, and with it the database
     */
    ClusterGauges(
            BooleanSupplier reachable,
            Supplier<List<QueueInfo>> queues,
            Supplier<List<NodeInfo>> nodes,
            BooleanSupplier leads,
            BooleanSupplier gone,
            Clock clock) {
        this.reachable = reachable;
        this.queues = queues;
        this.nodes = nodes;
        this.leads = leads;
        this.gone = gone;
        this.clock = clock;
    }

    void addTo(Meters meters) {
        OF_CLUSTER.forEach(name -> gauges.put(name, meters.gauges(name)));
        meters.gauge(MeterName.DATABASE_UP, this::databaseUp);
    }

    /** NaN if it is not known. */
    private synchronized double databaseUp() {
        beginReadingIfOld();
        if (gone.getAsBoolean()) {
            return Double.NaN;
        }
        if (reading && clock.nanos() - begunAt > PATIENCE.toNanos()) {
            return 0;
        }
        return readAt == null ? Double.NaN : up ? 1 : 0;
    }

    private void beginReadingIfOld() {
        if (closed || reading || readAt != null && clock.nanos() - readAt < FRESH.toNanos()) {
            return;
        }
        reading = true;
        begunAt = clock.nanos();
        Thread thread = new Thread(this::read, "muster-meters");
        thread.setDaemon(true);
        thread.start();
    }

    /** A reading that is under way adds nothing any more. */
    void close() {
        synchronized (gauges) {
            closed = true;
        }
    }

    private void read() {
        Map<MeterName, List<Row<?>>> rows = Map.of();
        boolean answers = false;
        try {
            answers = !gone.getAsBoolean() && reachable.getAsBoolean();
            if (answers && leads.getAsBoolean()) {
                rows = rows(queues.get(), nodes.get());
            }
        } catch (RuntimeException | Error e) {
            answers = false;
            log.warn("the figures of the cluster are left out of the meters: {}", e.toString());
        } finally {
            show(rows);
            synchronized (this) {
                readAt = clock.nanos();
                reading = false;
                up = answers;
            }
        }
    }

    private void show(Map<MeterName, List<Row<?>>> rows) {
        synchronized (gauges) {
            if (!closed) {
                gauges.forEach((name, gauge) -> gauge.register(rows.getOrDefault(name, List.of()), true));
            }
        }
    }

    private static Map<MeterName, List<Row<?>>> rows(List<QueueInfo> queues, List<NodeInfo> nodes) {
        Map<MeterName, List<Row<?>>> rows = new EnumMap<>(MeterName.class);
        OF_CLUSTER.forEach(name -> rows.put(name, new ArrayList<>()));
        queues.stream().limit(Bounded.MOST).forEach(queue -> {
            add(rows, MeterName.QUEUE_JOBS, queue.waiting(), queue.name(), "waiting");
            add(rows, MeterName.QUEUE_JOBS, queue.pending(), queue.name(), "pending");
            add(rows, MeterName.QUEUE_JOBS, queue.claimed(), queue.name(), "claimed");
            add(rows, MeterName.QUEUE_JOBS, queue.running(), queue.name(), "running");
            add(rows, MeterName.QUEUE_PAUSED, queue.pausedAt().isPresent() ? 1 : 0, queue.name());
            queue.oldestDue().ifPresent(due -> add(rows, MeterName.QUEUE_OLDEST_DUE, seconds(due), queue.name()));
        });
        for (NodeStatus status : NodeStatus.known()) {
            long count = nodes.stream()
                    .filter(node -> node.apparentStatus() == status)
                    .count();
            add(rows, MeterName.NODES, count, status.text());
        }
        return rows;
    }

    private static void add(Map<MeterName, List<Row<?>>> rows, MeterName name, double value, String... values) {
        rows.get(name).add(Meters.row(name, value, values));
    }

    private static double seconds(Instant instant) {
        return instant.toEpochMilli() / 1_000.0;
    }
}
