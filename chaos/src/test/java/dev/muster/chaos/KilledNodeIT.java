package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code kill -9} at each point of a job's way through a node. */
class KilledNodeIT extends ChaosIT {
    private static final int BUFFERED = 50;

    /** One thread, and more jobs claimed than it can run. */
    private static final Map<String, String> NARROW =
            Map.of("worker.concurrency", "1", "worker.prefetch", String.valueOf(BUFFERED));

    @Test
    void onlyTheJobWhoseStartWasWrittenIsCharged() {
        JobId running = jobs().enqueue(Probe.held(task(-1), "a"));
        NodeProcess node = node("a", NARROW);
        awaitStatus(running, JobStatus.RUNNING);
        List<JobId> buffered = jobs().enqueueAll(IntStream.range(0, BUFFERED)
                .mapToObj(KilledNodeIT::task)
                .toList());
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> buffered.stream().allMatch(id -> job(id).status() == JobStatus.CLAIMED));

        node.kill9();
        node("b");

        assertCompleted(ended(running), 1);
        buffered.forEach(id -> {
            assertCompleted(ended(id), 0);
            assertThat(entries(id)).isEqualTo(1);
        });
        assertThat(entries(running)).isEqualTo(2);
    }

    @Test
    void aJobThatHadJustStartedIsChargedIfTheDatabaseHeardOfIt() {
        JobId id = jobs().enqueue(Probe.held(task(1), "a"));
        NodeProcess node = node("a");
        awaitStep(id, "a", "entered");

        node.kill9();
        boolean onRecord = job(id).status() == JobStatus.RUNNING;
        node("b");

        assertCompleted(ended(id), onRecord ? 1 : 0);
        assertThat(entries(id)).isEqualTo(2);
    }

    @Test
    void aHandlerThatReturnedRunsAgainIfItsOutcomeWasNotWritten() {
        try (TcpProxy proxy = new TcpProxy(serverPort())) {
            JobId id = jobs().enqueue(Probe.held(task(1), "a"));
            NodeProcess node = node("a", Map.of("database.url", proxy.url(database.url())));
            awaitStep(id, "a", "entered");
            awaitStatus(id, JobStatus.RUNNING);
            proxy.freeze();
            witness.open(Probe.gateOf(id));
            awaitStep(id, "a", "returned");

            node.kill9();
            assertThat(job(id).status()).isEqualTo(JobStatus.RUNNING);
            node("b");

            assertCompleted(ended(id), 1);
            assertThat(witness.steps(id.value(), "b")).containsExactly("entered", "returned");
        }
    }

    /** The effect and the outcome are in one transaction: killed in it, neither is there. */
    @Test
    void anEffectInAnOpenTransactionDiesWithItsNode() {
        long hold = SOON.toMillis();
        JobId id = jobs().enqueue(Probe.watched(JobRequest.of("count", new Count("killed", hold))));
        NodeProcess node = node("a");
        awaitStep(id, "a", "entered");
        await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> openInserts() == 1);

        node.kill9();
        assertThat(database.column("SELECT key FROM example_counts")).isEmpty();
        await().atMost(SOON).until(() -> openInserts() == 0);
        database.execute("UPDATE muster_jobs SET args = '{\"key\": \"killed\"}'");
        node("b");

        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(database.column("SELECT key FROM example_counts")).containsExactly("killed");
    }

    private long openInserts() {
        return database.number("SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                + " WHERE c.relname = 'example_counts' AND l.mode = 'RowExclusiveLock'");
    }

    private static JobRequest task(int number) {
        return Probe.watched(JobRequest.of("my_task", new MyTask("task " + number)));
    }

    private static void assertCompleted(JobInfo job, int crashes) {
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isEqualTo(crashes);
        assertThat(job.node()).isEqualTo(Optional.of("b"));
    }
}
