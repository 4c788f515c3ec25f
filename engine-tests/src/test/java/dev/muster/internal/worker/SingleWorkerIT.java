package dev.muster.internal.worker;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.internal.cluster.OtherWorkers;
import dev.muster.job.Job;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@code worker.claiming = false}: one worker, and no other beside it. */
class SingleWorkerIT extends EngineIT {
    private static final Map<String, String> SINGLE = Map.of("worker.claiming", "false");

    static final class Handlers {
        @Job("plain")
        void plain() {}
    }

    private final Handlers handlers = new Handlers();

    @Test
    void aSingleWorkerRefusesCompanyOfEitherKind() throws Exception {
        Muster single = node(SINGLE, handlers);
        assertThat(ended(single, single.jobs().enqueue("plain", null)).status()).isEqualTo(JobStatus.COMPLETED);

        try (Muster second = builder(SINGLE, handlers).build()) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(OtherWorkers.class)
                    .hasMessageContaining("worker.claiming = false is for a single worker")
                    .hasMessageContaining(single.nodeId());
        }
        try (Muster second = builder(Map.of(), handlers).build()) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(OtherWorkers.class)
                    .hasMessageContaining("no second worker may start beside one with worker.claiming = false")
                    .hasMessageContaining(single.nodeId());
        }
        // Nodes that run no jobs are no company.
        node(Map.of("node.roles", "scheduler"), handlers);
        node();
        assertThat(ended(single, single.jobs().enqueue("plain", null)).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aSingleWorkerDoesNotStartBesideOthersAndWaitsForOneThatLeaves() throws Exception {
        Muster first = node(handlers);
        Muster second = node(handlers);
        try (Muster single = builder(SINGLE, handlers).build()) {
            assertThatThrownBy(single::start)
                    .hasMessageContaining("worker.claiming = false is for a single worker")
                    .hasMessageContaining(first.nodeId() + ", " + second.nodeId());
        }
        second.close();
        // As while it finishes a long job after SIGTERM.
        database.execute("UPDATE muster_nodes SET status = 'draining' WHERE id = '" + first.nodeId() + "'");
        Muster single = node(SINGLE, handlers);
        assertThat(ended(single, single.jobs().enqueue("plain", null)).node()).contains(single.nodeId());
    }

    @Test
    void ofTwoThatStartTogetherOneStarts() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 3; round++) {
                Muster single = builder(SINGLE, handlers).build();
                Muster other = builder(round == 0 ? SINGLE : Map.of(), handlers).build();
                try (single;
                        other) {
                    CyclicBarrier together = new CyclicBarrier(2);
                    List<Future<Boolean>> starts = new ArrayList<>();
                    for (Muster node : List.of(single, other)) {
                        starts.add(threads.submit(() -> {
                            together.await();
                            try {
                                node.start();
                                return true;
                            } catch (OtherWorkers e) {
                                assertThat(e).hasMessageContaining((node == single ? other : single).nodeId());
                                return false;
                            }
                        }));
                    }
                    boolean singleStarted = starts.get(0).get(90, TimeUnit.SECONDS);
                    boolean otherStarted = starts.get(1).get(90, TimeUnit.SECONDS);
                    assertThat(singleStarted).isNotEqualTo(otherStarted);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void oneThatWasDeclaredDeadDoesNotComeBackBesideItsSuccessor() throws Exception {
        Muster first = node(SINGLE, handlers);
        database.execute(
                "INSERT INTO muster_nodes (id, incarnation, status, claiming, handlers, last_heartbeat, started_at,"
                        + " heartbeat_interval, roles) VALUES ('successor', gen_random_uuid(), 'active', false, '{\"plain\": {}}',"
                        + " now(), now(), '1 hour', '{worker}')");
        database.execute("UPDATE muster_nodes SET status = 'dead' WHERE id = '" + first.nodeId() + "'");
        nothingHappensFor(
                Duration.ofSeconds(2),
                () -> assertThat(database.column("SELECT status FROM muster_nodes WHERE id = '" + first.nodeId() + "'"))
                        .containsExactly("dead"));
        database.execute("DELETE FROM muster_nodes WHERE id = 'successor'");
        assertThat(ended(first, first.jobs().enqueue("plain", null)).node()).contains(first.nodeId());
    }
}
