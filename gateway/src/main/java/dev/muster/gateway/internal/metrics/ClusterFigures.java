package dev.muster.gateway.internal.metrics;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.job.QueueInfo;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What only the database knows: the depth of the queues and the state of the nodes.
 *
 * <pre>
 *   old ── a scrape ──▶ being read, by a thread of its own ──▶ fresh for 10 s ──▶ old
 * </pre>
 *
 * Scrapes that come while it is read share the answer, and wait for it for at most 3 s. There is one reading at a time: a database that
 * hangs costs one thread. Thread-safe.
 */
final class ClusterFigures {
    private static final Logger log = LoggerFactory.getLogger(ClusterFigures.class);
    static final Duration FRESH = Duration.ofSeconds(10);
    static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Figures NONE = new Figures(false, List.of(), List.of());

    private final Supplier<List<QueueInfo>> queues;
    private final Supplier<List<NodeInfo>> nodes;
    private final Duration patience;
    private final Clock clock;
    private @Nullable CompletableFuture<Figures> last;
    private long readAt;

    /** @param up whether the database answered; if not, the lists are empty */
    private record Figures(boolean up, List<QueueInfo> queues, List<NodeInfo> nodes) {}

    /** @param patience how long a scrape waits for an answer */
    ClusterFigures(Supplier<List<QueueInfo>> queues, Supplier<List<NodeInfo>> nodes, Duration patience, Clock clock) {
        this.queues = queues;
        this.nodes = nodes;
        this.patience = patience;
        this.clock = clock;
    }

    void write(Samples samples) {
        Figures now = figures();
        samples.add(Metric.DATABASE_UP, now.up() ? 1 : 0);
        now.queues().stream().limit(JobTable.MOST).forEach(queue -> write(samples, queue));
        if (now.up()) {
            for (NodeStatus status : NodeStatus.known()) {
                long count = now.nodes().stream()
                        .filter(node -> node.apparentStatus() == status)
                        .count();
                samples.add(Metric.NODES, count, status.text());
            }
        }
    }

    private static void write(Samples samples, QueueInfo queue) {
        samples.add(Metric.QUEUE_JOBS, queue.waiting(), queue.name(), "waiting");
        samples.add(Metric.QUEUE_JOBS, queue.pending(), queue.name(), "pending");
        samples.add(Metric.QUEUE_JOBS, queue.claimed(), queue.name(), "claimed");
        samples.add(Metric.QUEUE_JOBS, queue.running(), queue.name(), "running");
        samples.add(Metric.QUEUE_PAUSED, queue.pausedAt().isPresent() ? 1 : 0, queue.name());
        queue.oldestDue().ifPresent(due -> samples.add(Metric.QUEUE_OLDEST_DUE, seconds(due), queue.name()));
    }

    private static double seconds(Instant instant) {
        return instant.toEpochMilli() / 1_000.0;
    }

    private Figures figures() {
        try {
            return fresh().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return NONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NONE;
        }
    }

    private synchronized CompletableFuture<Figures> fresh() {
        CompletableFuture<Figures> known = last;
        if (known != null && (!known.isDone() || clock.nanos() - readAt < FRESH.toNanos())) {
            return known;
        }
        CompletableFuture<Figures> reading = new CompletableFuture<>();
        Thread thread = new Thread(() -> read(reading), "muster-metrics");
        thread.setDaemon(true);
        thread.start();
        last = reading;
        return reading;
    }

    private void read(CompletableFuture<Figures> reading) {
        Figures figures = NONE;
        try {
            figures = new Figures(true, queues.get(), nodes.get());
        } catch (RuntimeException | Error e) {
            log.warn("the figures of the cluster are left out of the metrics: {}", e.toString());
        }
        synchronized (this) {
            readAt = clock.nanos();
            reading.complete(figures);
        }
    }
}
