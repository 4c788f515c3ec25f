package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testing.LongTest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What others do about a node that dies, stands still, is replaced or drained. */
class LostNodesIT extends ChaosIT {
    private static JobRequest task(int number) {
        return JobRequest.of("my_task", new MyTask("task " + number));
    }

    private NodeInfo row(String id) {
        return find(id).orElseThrow();
    }

    private Optional<NodeInfo> find(String id) {
        return client.nodes().stream().filter(node -> node.id().equals(id)).findFirst();
    }

    /** These nodes have been silent for longer than the threshold; waits until another one has found them dead. Leases are longer. */
    private void areFoundDead(String... nodes) {
        LostLeases leases = new LostLeases(database);
        leases.awaitEndOfOpenTransactions();
        for (String node : nodes) {
            await(node + " is found dead").atMost(SOON).until(() -> {
                leases.beSilent(node);
                return database.number(
                                "SELECT count(*) FROM muster_nodes WHERE id = '" + node + "' AND status = 'dead'")
                        == 1;
            });
        }
    }

    /** All at the same time: none of them continues before the last has been entered. */
    @Test
    void theJobsOfADeadNodeRunElsewhere() {
        int count = 50;
        NodeProcess node = node("a", Map.of("worker.concurrency", String.valueOf(count)));
        List<JobId> ids = jobs().enqueueAll(IntStream.range(0, count)
                .mapToObj(i -> Probe.held(task(i), "a"))
                .toList());
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE status = 'running'") == count);
        CountDownLatch entered = new CountDownLatch(count);
        try (Muster b = survivor("b", count, entered)) {
            b.start();

            node.kill9();
            areFoundDead("a");
            await("all of them entered elsewhere").atMost(SOON).until(() -> entered.getCount() == 0);

            ids.forEach(id -> {
                JobInfo job = ended(id);
                assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
                assertThat(job.attempt()).as("attempt").isEqualTo(1);
                assertThat(job.crashes()).as("crashes").isEqualTo(1);
            });
        }
    }

    /** Whoever died, and whoever judges, the leader or a node that may not lead. */
    @Test
    void theJobsOfTheOnlyNodeThatMayLeadRunElsewhere() {
        Map<String, String> worker = Map.of("node.mode", "worker");
        NodeProcess leader = node("leader");
        NodeProcess busy = node("busy", worker);
        JobId first = heldOn("busy", "last");
        JobId second = heldOn("leader", "last");
        startHere("last", worker);

        busy.kill9();
        areFoundDead("busy");
        assertThat(ended(first).crashes()).isEqualTo(1);

        leader.kill9();
        areFoundDead("leader");
        assertThat(ended(second).node()).hasValue("last");
        assertThat(ended(second).crashes()).isEqualTo(1);
    }

    private Muster survivor(String id, int concurrency, CountDownLatch entered) {
        Map<String, String> settings = new HashMap<>(CALM);
        settings.put("node.id", id);
        settings.put("worker.concurrency", String.valueOf(concurrency));
        MusterBuilder builder = Muster.builder()
                .config(MusterConfig.defaults().with(settings))
                .database(database.url())
                .interceptor(new JobInterceptor() {
                    @Override
                    public @Nullable Object run(JobContext context, Run run) throws Exception {
                        entered.countDown();
                        entered.await();
                        return run.proceed();
                    }
                });
        new Work().register(builder, database.dataSource());
        return builder.build();
    }

    @Test
    void aNodeThatWasOnlySlowLosesItsClaimsAndJoinsAgain() {
        NodeProcess slow = node("a");
        JobId id = jobs().enqueue(Probe.held(task(1), "a"));
        awaitStep(id, "a", "entered");
        awaitStatus(id, JobStatus.RUNNING);
        startHere("b");
        NodeInfo before = row("a");

        slow.stop();
        areFoundDead("a");
        JobInfo job = ended(id);
        assertThat(job.node()).contains("b");
        slow.cont();

        awaitStep(id, "a", "interrupted");
        await().atMost(SOON).until(() -> row("a").status() == NodeStatus.ACTIVE);
        assertThat(row("a").incarnation()).isNotEqualTo(before.incarnation());
        witness.open(Probe.gateOf(id));
        assertThat(ended(id)).as("its late outcome changes nothing").isEqualTo(job);
        await("it works again").atMost(SOON).until(() -> {
            JobId next = jobs().enqueue(task(2));
            return ended(next).node().equals(Optional.of("a"));
        });
    }

    /** Nobody else is there, and leases and thresholds are long: only the restart can have freed the job. */
    @Test
    void aNodeThatRestartsUnderItsIdRunsWhatItHeldAtOnce() {
        NodeProcess node = node("a");
        JobId running = jobs().enqueue(Probe.held(task(1), "a"));
        awaitStep(running, "a", "entered");
        awaitStatus(running, JobStatus.RUNNING);
        node.kill9();
        witness.open(Probe.gateOf(running));

        startHere("a");
        JobInfo job = ended(running);

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.crashes()).isEqualTo(1);
        assertThat(entries(running)).isEqualTo(2);
    }

    @LongTest(
            twin = DrainIT.class,
            test = "underLoadNothingIsLostOrRunTwice",
            why = "all nodes of one version are replaced by those of another")
    @Test
    void blueGreenUnderLoadLosesAndChargesNothing() {
        NodeProcess oldOne = node("old-1");
        NodeProcess oldTwo = node("old-2");
        try (Load load = new Load(database.url())) {
            load.start();
            load.awaitMoreCompleted(SOON);
            JobId held = heldOn("old-1");

            startHere("new-1");
            startHere("new-2");
            database.execute("UPDATE muster_nodes SET status = 'draining' WHERE id LIKE 'old-%'");

            assertThat(oldTwo.exitCode(SOON)).as(oldTwo.text()).isZero();
            load.awaitMoreCompleted(SOON);
            assertThat(row("old-1").status()).as("it still works").isEqualTo(NodeStatus.DRAINING);
            await("that both new ones have completed something")
                    .atMost(SOON)
                    .until(() -> database.column("SELECT DISTINCT node_id FROM muster_job_history")
                            .containsAll(List.of("new-1", "new-2")));
            witness.open(Probe.gateOf(held));
            assertThat(oldOne.exitCode(SOON)).as(oldOne.text()).isZero();

            load.finish().values().forEach(LostNodesIT::assertUncharged);
            assertUncharged(ended(held));
            assertThat(ended(held).node()).contains("old-1");
        }
        assertThat(database.column("SELECT id FROM muster_nodes ORDER BY id")).containsExactly("new-1", "new-2");
    }

    /** A job that this node holds. Later it may run on those others, which are not there yet, and which let it through. */
    private JobId heldOn(String node, String... later) {
        String[] nodes = Stream.concat(Stream.of(node), Stream.of(later)).toArray(String[]::new);
        JobId id = jobs().enqueue(Probe.held(task(1), node).onNodes(nodes));
        awaitStep(id, node, "entered");
        awaitStatus(id, JobStatus.RUNNING);
        return id;
    }

    private static void assertUncharged(JobInfo job) {
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.crashes()).as("crashes of " + job.name()).isZero();
        if (!job.name().equals("flaky")) {
            assertThat(job.attempt()).as("attempt of " + job.name()).isEqualTo(1);
        }
    }
}
