package dev.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Job;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that cannot reach the database stops its daemon before another one starts it. */
class PartitionedDaemonIT {
    private static final Duration BEAT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(90);

    /** What a user gets. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Map<String, String> DEFAULTS =
            Map.of("worker.lease", "30s", "worker.renew", "10s", "worker.sweep_interval", "1s");

    /** For this long the cluster is up before anything happens to it. */
    private static final Duration SETTLED = LEASE.plusSeconds(3);

    private record Beat(String node, long at) {}

    private final List<Beat> beats = new CopyOnWriteArrayList<>();
    private final Set<String> stopped = ConcurrentHashMap.newKeySet();
    private TestDatabase database;

    final class Feeds {
        @Daemon
        void feed(DaemonContext ctx) {
            do {
                beats.add(new Beat(ctx.nodeId(), System.nanoTime()));
            } while (!ctx.awaitShutdown(BEAT));
            stopped.add(ctx.nodeId());
        }
    }

    private static final class Nothing {
        @Job("nothing")
        void nothing() {}
    }

    @BeforeEach
    void open() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** The test moves both clocks: that of the nodes, and that of the database. */
    @Test
    void stopsWhileItsLeaseHoldsAndItsSuccessorStartsWhenItHasEnded() {
        Map<String, String> settings =
                Map.of("worker.lease", "10m", "worker.renew", "1s", "cluster.dead_threshold", "1h");
        try (Cluster cluster = Cluster.on(database, settings)) {
            cluster.node(new Nothing());
            Node cut = cluster.node(new Feeds());
            await().atMost(LONG).until(() -> count(cut) > 0);
            Node successor = cluster.node(new Feeds());
            cut.cutDatabase();

            cluster.clock().advance(Duration.ofMinutes(9));
            await("it has stopped").atMost(LONG).until(() -> stopped.contains(cut.id()));
            assertThat(database.number("SELECT count(*) FROM muster_daemons WHERE node_id = '" + cut.id()
                            + "' AND lease_until > muster_clock()"))
                    .as("it holds the lease")
                    .isEqualTo(1);
            assertThat(count(successor)).isZero();

            cluster.clock().advance(Duration.ofMinutes(2));
            await().atMost(LONG).until(() -> count(successor) > 5);
            assertThat(first(successor)).isGreaterThan(last(cut));
        }
    }

    @Test
    @LongTest(
            twin = PartitionedDaemonIT.class,
            test = "stopsWhileItsLeaseHoldsAndItsSuccessorStartsWhenItHasEnded",
            why = "in real time, with the lease that a user gets")
    void neverOverlapsWithItsSuccessor() {
        try (Cluster cluster = Cluster.on(database, DEFAULTS)) {
            // The first leads, and keeps doing so: it declares the other dead as soon as it may.
            cluster.node(new Nothing());
            Node cut = cluster.node(new Feeds());
            await().atMost(LONG).until(() -> !beats.isEmpty());
            Node successor = cluster.node(new Feeds());
            await().atMost(LONG).until(() -> last(cut) - first(cut) > SETTLED.toNanos());

            long cutAt = System.nanoTime();
            cut.cutDatabase();
            await().atMost(LONG).until(() -> count(successor) > 20);

            assertThat(Duration.ofNanos(first(successor) - last(cut)))
                    .as("from the last beat of the one to the first of the other")
                    .isPositive();
            Measured.within(Duration.ofSeconds(25), Duration.ofNanos(first(successor) - cutAt), "taking over a daemon");
        }
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
