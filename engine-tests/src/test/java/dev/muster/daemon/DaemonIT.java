package dev.muster.daemon;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.daemon.DaemonInfo.Status;
import dev.muster.job.Backoff;
import dev.muster.job.Fence;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** Daemons on nodes that come, go, freeze and die. */
@MusterTest(settings = {"worker.lease=60s", "worker.renew=1s"})
class DaemonIT {
    /** Longer than the lease. */
    private static final Duration LEASE_ENDS = Duration.ofSeconds(61);

    private static final Duration UNTIL_SPREAD = Duration.ofSeconds(60);
    private static final Duration MOVES_AGAIN = Duration.ofMinutes(11);

    /** A store that accepts no write below the highest fence it has seen, and remembers who wrote. */
    static final class Witness {
        private final Map<String, Fence> highest = new HashMap<>();
        private final Map<String, String> node = new HashMap<>();
        private final Map<String, String> holderOf = new HashMap<>();
        private final List<String> violations = new ArrayList<>();

        synchronized boolean write(DaemonContext ctx) {
            Fence seen = highest.get(ctx.name());
            if (seen != null && ctx.fence().compareTo(seen) < 0) {
                return false;
            }
            highest.put(ctx.name(), ctx.fence());
            node.put(ctx.name(), ctx.nodeId());
            String before = holderOf.putIfAbsent(ctx.name() + ctx.fence(), ctx.nodeId());
            if (before != null && !before.equals(ctx.nodeId())) {
                violations.add(ctx.name() + " " + ctx.fence() + " on " + before + " and " + ctx.nodeId());
            }
            return true;
        }

        synchronized Map<String, Long> spread() {
            return node.values().stream().collect(Collectors.groupingBy(n -> n, Collectors.counting()));
        }

        synchronized String nodeOf(String daemon) {
            return node.get(daemon);
        }

        synchronized Fence fenceOf(String daemon) {
            return highest.get(daemon);
        }
    }

    private final Witness witness = new Witness();

    private void work(DaemonContext ctx) {
        while (!ctx.awaitShutdown(Duration.ofMillis(20))) {
            witness.write(ctx);
        }
    }

    final class Six {
        @Daemon
        void feedA(DaemonContext ctx) {
            work(ctx);
        }

        @Daemon
        void feedB(DaemonContext ctx) {
            work(ctx);
        }

        @Daemon
        void feedC(DaemonContext ctx) {
            work(ctx);
        }

        @Daemon
        void feedD(DaemonContext ctx) {
            work(ctx);
        }

        @Daemon
        void feedE(DaemonContext ctx) {
            work(ctx);
        }

        @Daemon
        void feedF(DaemonContext ctx) {
            work(ctx);
        }
    }

    final class One {
        @Daemon
        void prices(DaemonContext ctx) {
            work(ctx);
        }
    }

    private static List<DaemonInfo> list(Cluster cluster) {
        return cluster.client().daemons().list();
    }

    private static Map<String, Long> holders(Cluster cluster) {
        return list(cluster).stream()
                .filter(daemon -> daemon.status() == Status.RUNNING)
                .collect(Collectors.groupingBy(daemon -> daemon.node().orElseThrow(), Collectors.counting()));
    }

    /**
     * Waits until the daemons are spread like this. A node that takes a daemon back which was meant for a slower one moves none for ten
     * minutes, so these pass whenever the spread does not come. That ends all leases, and each daemon moves by itself: who lets time pass before
     * all can have moved begins from the start each time.
     */
    private void awaitSpread(Cluster cluster, Map<String, Long> expected) {
        AtomicLong waitingSince = new AtomicLong(System.nanoTime());
        await().atMost(Duration.ofMinutes(4)).until(() -> {
            if (System.nanoTime() - waitingSince.get() > UNTIL_SPREAD.toNanos()) {
                cluster.clock().advance(MOVES_AGAIN);
                waitingSince.set(System.nanoTime());
            }
            return holders(cluster).equals(expected) && witness.spread().equals(expected);
        });
    }

    @Test
    void sixDaemonsSpreadOverThreeNodesAndOutliveOne(Cluster cluster) {
        // A node has a renewal's time to take a daemon that is meant for it, and none dies because it is slow.
        Map<String, String> patient = Map.of("worker.renew", "5s", "cluster.dead_threshold", "2m");
        cluster.node(patient, new Six());
        patiently().until(() -> holders(cluster).equals(Map.of("node-1", 6L)));
        cluster.node(patient, new Six());
        Node third = cluster.node(patient, new Six());

        awaitSpread(cluster, Map.of("node-1", 2L, "node-2", 2L, "node-3", 2L));
        List<String> orphans = list(cluster).stream()
                .filter(daemon -> daemon.node().orElseThrow().equals(third.id()))
                .map(DaemonInfo::name)
                .toList();
        Map<String, Fence> before = orphans.stream().collect(Collectors.toMap(d -> d, witness::fenceOf));

        third.crash();
        // Just the lease: what is free for longer may be taken by a node that has more than its share.
        cluster.clock().advance(Duration.ofSeconds(60));
        awaitSpread(cluster, Map.of("node-1", 3L, "node-2", 3L));

        assertThat(orphans)
                .hasSize(2)
                .allSatisfy(daemon -> assertThat(witness.fenceOf(daemon)).isGreaterThan(before.get(daemon)));
        assertThat(witness.violations).isEmpty();
    }

    @Test
    void aNodeThatStopsHandsItsDaemonsOverAtOnce(Cluster cluster) {
        // Far longer than the test may take: the lease does not help.
        Map<String, String> slow = Map.of("worker.lease", "120s", "worker.renew", "40s");
        Node first = cluster.node(slow, new One());
        patiently().until(() -> "node-1".equals(witness.nodeOf("prices")));
        cluster.node(slow, new One());

        first.close();

        patiently().until(() -> "node-2".equals(witness.nodeOf("prices")));
    }

    @Test
    void aFrozenNodeLosesItsDaemonAndNoticesWhenItThaws(Cluster cluster) {
        Node first = cluster.node(new One());
        patiently().until(() -> "node-1".equals(witness.nodeOf("prices")));
        Fence old = witness.fenceOf("prices");
        cluster.node(new One());

        first.freeze();
        cluster.clock().advance(LEASE_ENDS);
        patiently().until(() -> "node-2".equals(witness.nodeOf("prices")));
        assertThat(witness.fenceOf("prices")).isGreaterThan(old);
        first.thaw();

        patiently()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                                .filter(thread -> thread.getName().equals("muster-daemon-prices"))
                                .count()
                        == 1);
        assertThat(witness.violations).isEmpty();
    }

    @Test
    void aNodeThatCannotRenewStopsItsDaemonBeforeItsLeaseEnds(Cluster cluster, TestDatabase database) {
        AtomicInteger interrupted = new AtomicInteger();
        Map<String, String> longLease = Map.of("worker.lease", "10m", "cluster.dead_threshold", "1h");
        Node node = cluster.node(longLease, new Object() {
            @Daemon
            void stubborn(DaemonContext ctx) {
                witness.write(ctx);
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.addAndGet(ctx.isShutdown() ? 1 : 100);
                }
            }
        });
        patiently().until(() -> witness.nodeOf("stubborn") != null);

        node.cutDatabase();
        cluster.clock().advance(Duration.ofMinutes(9));
        patiently().until(() -> interrupted.get() > 0);
        assertThat(database.number("SELECT count(*) FROM muster_daemons WHERE lease_until > muster_clock()"))
                .as("leases that still hold")
                .isEqualTo(1);
        assertThat(interrupted).hasValue(1);

        Fence old = witness.fenceOf("stubborn");
        node.restoreDatabase();
        cluster.clock().advance(Duration.ofMinutes(11));
        patiently().until(() -> witness.fenceOf("stubborn").compareTo(old) > 0);
    }

    @Test
    void whatThrowsOrReturnsStartsAgainAfterABackoff(Cluster cluster) {
        List<Long> starts = new ArrayList<>();
        cluster.node(new Object() {
            @Daemon(backoff = @Backoff(kind = Backoff.Kind.LINEAR, delay = "150ms", jitter = 0))
            void shaky(DaemonContext ctx) {
                int run;
                synchronized (starts) {
                    starts.add(System.nanoTime());
                    run = starts.size();
                }
                if (run == 1) {
                    throw new IllegalStateException("no prices today");
                }
                if (run > 2) {
                    work(ctx);
                }
            }
        });

        patiently().until(() -> witness.nodeOf("shaky") != null);
        patiently().until(() -> list(cluster).get(0).status() == Status.RUNNING);

        assertThat(starts).hasSize(3);
        assertThat(Duration.ofNanos(starts.get(1) - starts.get(0))).isGreaterThanOrEqualTo(Duration.ofMillis(150));
        assertThat(Duration.ofNanos(starts.get(2) - starts.get(1))).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        DaemonInfo daemon = list(cluster).get(0);
        assertThat(daemon.restarts()).isEqualTo(2);
        assertThat(daemon.lastError()).contains("it returned without being told to stop");
    }

    /** What no logger can print. */
    static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new IllegalStateException("not even its name");
        }
    }

    @Test
    void aFailureThatCannotBePrintedStopsNothing(Cluster cluster) {
        AtomicInteger starts = new AtomicInteger();
        cluster.node(new Object() {
            @Daemon(backoff = @Backoff(delay = "10ms", jitter = 0))
            void unspeakable(DaemonContext ctx) {
                if (starts.incrementAndGet() <= 2) {
                    throw new Unspeakable();
                }
                work(ctx);
            }
        });

        patiently().until(() -> witness.nodeOf("unspeakable") != null);
        assertThat(list(cluster).get(0).lastError()).contains(Unspeakable.class.getName());
    }

    @Test
    void aDaemonThatFailsTooOftenWaitsForAnOperator(Cluster cluster) {
        AtomicInteger starts = new AtomicInteger();
        Object broken = new Object() {
            @Daemon(maxRestarts = 2, backoff = @Backoff(delay = "10ms", jitter = 0))
            void broken(DaemonContext ctx) {
                if (starts.incrementAndGet() <= 3) {
                    throw new IllegalStateException("no prices ever");
                }
                work(ctx);
            }
        };
        cluster.node(broken);

        patiently().until(() -> list(cluster).stream().anyMatch(daemon -> daemon.status() == Status.FAILED));
        assertThat(starts).hasValue(3);
        assertThat(list(cluster).get(0).lastError()).contains("java.lang.IllegalStateException: no prices ever");
        assertThat(list(cluster).get(0).restarts()).isEqualTo(2);
        cluster.node(broken);
        assertThat(cluster.client().daemons().reset("other")).isFalse();
        assertThat(starts).hasValue(3);

        assertThat(cluster.client().daemons().reset("broken")).isTrue();
        patiently().until(() -> witness.nodeOf("broken") != null);
        assertThat(list(cluster).get(0).restarts()).isZero();
    }

    @Test
    void oneOnEachNodeWhereAsked(Cluster cluster) {
        Map<String, Integer> ran = new ConcurrentHashMap<>();
        Object agents = new Object() {
            @Daemon(name = "agent", perNode = true, startDelay = "10ms")
            void runAgent(DaemonContext ctx) throws SQLException {
                try (Connection connection = ctx.connection()) {
                    ran.merge(ctx.nodeId(), connection.getAutoCommit() ? 1 : 0, Integer::sum);
                }
                ctx.awaitShutdown(Duration.ofMinutes(5));
            }
        };
        Node first = cluster.node(agents);
        cluster.node(agents);

        patiently().until(() -> ran.equals(Map.of("node-1", 1, "node-2", 1)));
        assertThat(holders(cluster)).isEqualTo(Map.of("node-1", 1L, "node-2", 1L));

        first.close();
        patiently().until(() -> holders(cluster).equals(Map.of("node-2", 1L)));
        assertThat(ran).hasSize(2);
    }

    @Test
    void aDaemonTakesItsContext() {
        assertThatThrownBy(() -> Muster.builder().register(new Object() {
                    @Daemon
                    void lonely() {}
                }))
                .hasMessageContaining("@Daemon on")
                .hasMessageContaining("a daemon is an instance method that takes a DaemonContext");
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(90));
    }
}
