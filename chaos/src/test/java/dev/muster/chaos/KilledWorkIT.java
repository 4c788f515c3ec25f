package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testing.Measured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of a node that has work at each point of a job's way through it, and everything it held continues elsewhere. The node dies
 * once, with all of it.
 */
class KilledWorkIT extends ChaosIT {
    private static final int BATCH = 200;
    private static final int BUFFERED = 50;
    private static final Duration CHILDREN_END_WITHIN = Duration.ofSeconds(2);

    /** As many threads as jobs are held, and more jobs claimed than they can run. */
    private static final int THREADS = 4;

    @TempDir
    Path folder;

    private Map<String, String> scripts;

    /** On node a the script never ends, with a process that has left it; on any other node it ends at once. */
    @BeforeEach
    void writeScript() throws IOException {
        Path script = Files.writeString(folder.resolve("job.sh"), """
                if [ "$MUSTER_NODE_ID" != a ]; then printf '"done by %%s"' "$MUSTER_NODE_ID"; exit; fi
                (set -m; (sh -c 'echo $$ > %1$s/detached; exec sleep 1000' &) &)
                echo $$ > %1$s/child
                sleep 1000
                """.formatted(folder));
        scripts = Map.of(
                "executors.scripts.kind", "process",
                "executors.scripts.command", "sh " + script,
                "executors.scripts.jobs", "script");
    }

    @Test
    void eachPieceOfItContinuesElsewhereAndOnlyWhatWasOnRecordIsCharged() throws Exception {
        try (TcpProxy proxy = new TcpProxy(serverPort())) {
            Map<String, String> victims = new HashMap<>(scripts);
            victims.put("worker.concurrency", String.valueOf(THREADS));
            victims.put("worker.prefetch", String.valueOf(BUFFERED));
            victims.put("database.url", proxy.url(database.url()));
            NodeProcess victim = node("a", victims);

            Connection lock = database.dataSource().getConnection();
            BatchId batch = endAllJobsOfABatch(lock);
            JobId returned = held(task("returned"));
            JobId running = held(task("running"));
            JobId payment = held(task("payment").maxAttempts(1));
            JobId inTransaction = inTransaction();
            JobId script = jobs().enqueue(JobRequest.of("script"));
            List<ProcessHandle> children = List.of(process("child"), process("detached"));
            List.of(returned, running, payment, script).forEach(id -> awaitStatus(id, JobStatus.RUNNING));
            List<JobId> buffered = jobs().enqueueAll(IntStream.range(0, BUFFERED)
                    .mapToObj(i -> task("buffered " + i))
                    .toList());
            await("all claimed").atMost(SOON).until(() -> claimed() == BUFFERED);
            assertThat(children).allMatch(ProcessHandle::isAlive);

            proxy.freeze();
            witness.open(Probe.gateOf(returned));
            awaitStep(returned, "a", "returned");
            victim.kill9();
            assertEndSoon(children);
            assertThat(job(returned).status()).as("its outcome was not written").isEqualTo(JobStatus.RUNNING);
            boolean onRecord = job(inTransaction).status() == JobStatus.RUNNING;
            assertEffectHasDied(inTransaction);
            lock.rollback();
            lock.close();
            assertThat(client.batches().find(batch).orElseThrow().status()).isEqualTo(BatchStatus.SEALED);

            startHere("b", scripts);
            losesToOthers("a");

            assertCompleted(returned, 1);
            assertCompleted(running, 1);
            assertThat(witness.steps(returned.value(), "b")).containsExactly("entered", "returned");
            assertThat(entries(running)).isEqualTo(2);
            assertNotRunAgain(payment);
            assertCompleted(inTransaction, onRecord ? 1 : 0);
            assertThat(database.column("SELECT key FROM example_counts")).containsExactly("killed");
            assertThat(assertCompleted(script, 1).result()).hasValue("\"done by b\"");
            // The thread of the job that returned has begun some of them, of which the database has not heard.
            buffered.forEach(id -> {
                assertCompleted(id, 0);
                assertThat(witness.steps(id.value(), "b")).containsExactly("entered", "returned");
            });
            assertClosedOnce(batch);
        }
    }

    private JobId held(JobRequest request) {
        JobId id = jobs().enqueue(Probe.held(request, "a"));
        awaitStep(id, "a", "entered");
        return id;
    }

    private static JobRequest task(String key) {
        return Probe.watched(JobRequest.of("my_task", new MyTask(key)));
    }

    private long claimed() {
        return database.number(
                "SELECT count(*) FROM muster_jobs WHERE status = 'claimed' AND name = 'my_task' AND node_id = 'a'");
    }

    /** The batch's row is locked while its jobs run, so that the node that ends the last one cannot close it before it dies. */
    private BatchId endAllJobsOfABatch(Connection lock) throws SQLException {
        client.queues().pause("default");
        BatchId id = client.batches()
                .fanOut(
                        BatchRequest.of("large").onComplete(task("summary")),
                        Collections.nCopies(BATCH, JobRequest.of("my_task", new MyTask("one of many"))));
        lock.setAutoCommit(false);
        try (Statement statement = lock.createStatement()) {
            statement.execute("SELECT FROM muster_batches FOR SHARE");
        }
        client.queues().resume("default");
        await("the end of all jobs of the batch")
                .atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_job_history") == BATCH);
        return id;
    }

    private void assertClosedOnce(BatchId id) {
        BatchInfo closed = client.batches().await(id, SOON);
        assertThat(closed.status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(closed.counts()).contains(new BatchCounts(0, BATCH, 0, 0, 0));
        JobId completion = closed.completionJob().orElseThrow();
        assertThat(ended(completion).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(entries(completion)).isEqualTo(1);
    }

    /** The effect and the outcome are in one transaction: killed in it, neither is there. */
    private JobId inTransaction() {
        JobId id = jobs().enqueue(Probe.watched(
                JobRequest.of("count", new Count("killed", Duration.ofMinutes(5).toMillis()))));
        awaitStep(id, "a", "entered");
        await().atMost(SOON).until(() -> openInserts() == 1);
        return id;
    }

    private void assertEffectHasDied(JobId id) {
        await().atMost(SOON).until(() -> openInserts() == 0);
        assertThat(database.column("SELECT key FROM example_counts")).isEmpty();
        database.execute("UPDATE muster_jobs SET args = '{\"key\": \"killed\"}' WHERE id = '" + id + "'");
    }

    private long openInserts() {
        return database.number("SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                + " WHERE c.relname = 'example_counts' AND l.mode = 'RowExclusiveLock' AND l.database ="
                + " (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    private ProcessHandle process(String file) {
        Path path = folder.resolve(file);
        String pid = await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> Files.readString(path).strip(), text -> !text.isEmpty());
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    private static void assertEndSoon(List<ProcessHandle> children) {
        long killed = System.nanoTime();
        await("the end of the node's children")
                .atMost(SOON)
                .until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        Measured.within(
                CHILDREN_END_WITHIN,
                Duration.ofNanos(System.nanoTime() - killed),
                "the end of the children of a killed node");
    }

    private JobInfo assertCompleted(JobId id, int crashes) {
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isEqualTo(crashes);
        assertThat(job.node()).hasValue("b");
        return job;
    }

    /** A job with one attempt, such as a payment: its handler is entered at most once, whatever happens. */
    private void assertNotRunAgain(JobId payment) {
        JobInfo job = ended(payment);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.error()).isPresent();
        assertThat(entries(payment)).isEqualTo(1);
    }
}
