package dev.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Job;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** With the settings that a user gets: a node that cannot reach the database stops its daemon before another one starts it. */
@Order(1)
@MusterTest(settings = {"worker.lease=30s", "worker.renew=10s", "worker.sweep_interval=1s"})
class PartitionedDaemonIT {
    private static final Duration BEAT = Duration.ofMillis(100);

    /** For this long the cluster is up before anything happens to it. */
    private static final Duration SETTLED = Duration.ofSeconds(33);

    private record Beat(String node, long at) {}

    private final List<Beat> beats = new CopyOnWriteArrayList<>();

    final class Feeds {
        @Daemon
        void feed(DaemonContext ctx) {
            do {
                beats.add(new Beat(ctx.nodeId(), System.nanoTime()));
            } while (!ctx.awaitShutdown(BEAT));
        }
    }

    private static final class Nothing {
        @Job("nothing")
        void nothing() {}
    }

    @Test
    void neverOverlapsWithItsSuccessor(Cluster cluster) {
        // The first leads, and goes on doing so: it declares the other dead as soon as it may.
        cluster.node(new Nothing());
        Node cut = cluster.node(new Feeds());
        await().atMost(Duration.ofSeconds(10)).until(() -> !beats.isEmpty());
        Node successor = cluster.node(new Feeds());
        await().atMost(SETTLED.multipliedBy(2)).until(() -> last(cut) - first(cut) > SETTLED.toNanos());

        long cutAt = System.nanoTime();
        cut.cutDatabase();
        await().atMost(Duration.ofSeconds(60)).until(() -> count(successor) > 20);

        assertThat(Duration.ofNanos(first(successor) - last(cut)))
                .as("from the last beat of the one to the first of the other")
                .isPositive();
        assertThat(Duration.ofNanos(first(successor) - cutAt))
                .as("taken over after")
                .isLessThan(Duration.ofSeconds(25));
    }

    private long count(Node node) {
        return beats.stream().filter(beat -> beat.node().equals(node.id())).count();
    }

    private long first(Node node) {
        return beats.stream()
                .filter(beat -> beat.node().equals(node.id()))
                .mapToLong(Beat::at)
                .min()
                .orElseThrow();
    }

    private long last(Node node) {
        return beats.stream()
                .filter(beat -> beat.node().equals(node.id()))
                .mapToLong(Beat::at)
                .max()
                .orElseThrow();
    }
}
