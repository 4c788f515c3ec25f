package dev.muster.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.engine.ClusterIT;
import dev.muster.job.BatchId;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.testkit.InlineJobs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches on nodes and on the test's thread. */
class BatchIT extends ClusterIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    /** Handlers of a batch; jobs with a negative number fail. */
    static final class Import {
        final List<BatchSummary> reports = Collections.synchronizedList(new ArrayList<>());

        @Job(value = "load", maxAttempts = 1)
        void load(int number) {
            if (number < 0) {
                throw new IllegalArgumentException("number " + number);
            }
        }

        /** Loads a number, and another one in the same batch. */
        @Job("load_two")
        void loadTwo(JobContext ctx, String batch) {
            ctx.jobs().enqueue(JobRequest.of("load", 1).batch(BatchId.of(batch)));
        }

        @Job("report")
        void report(JobContext ctx, String title) {
            assertThat(title).isEqualTo("import");
            reports.add(BatchSummary.of(ctx));
        }

        @Job(value = "judge", maxAttempts = 1)
        void judge(JobContext ctx) {
            if (BatchSummary.of(ctx).counts().failed() > 1) {
                throw new IllegalStateException("too many");
            }
        }
    }

    private final Import handlers = new Import();

    private Batches batches() {
        return cluster.client().batches();
    }

    private static BatchRequest request() {
        return BatchRequest.of("nightly").onComplete(JobRequest.of("report", "import"));
    }

    private static List<JobRequest> loads(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> JobRequest.of("load", number))
                .toList();
    }

    private JobInfo completionOf(BatchInfo batch) {
        return cluster.awaitEnded(batch.completionJob().orElseThrow(), PATIENCE);
    }

    @Test
    void aFanOutThatIsRepeatedAddsNoJobs() {
        BatchRequest request = request();
        BatchId first = batches().fanOut(request, loads(1, 2, 3));
        assertThat(batches().fanOut(request, loads(1, 2, 3))).isEqualTo(first);
        cluster.node(handlers);

        BatchInfo batch = batches().await(first, SOON);

        assertThat(batch.counts().orElseThrow().completed()).isEqualTo(3);
        assertThat(batches().fanOut(request, loads(1, 2, 3))).isEqualTo(first);
        completionOf(batch);
        assertThat(handlers.reports).hasSize(1);
    }

    /** Otherwise it would return as if it had enqueued the jobs, and nobody would seal the batch. */
    @Test
    void aFanOutIntoABatchThatWasCreatedBeforeIsRefused() {
        BatchRequest request = request();
        BatchId id = batches().create(request);

        assertThatThrownBy(() -> batches().fanOut(request, loads(1, 2)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("was made by create(request) and is not sealed");

        batches().seal(id);
        assertThat(batches().fanOut(request, loads(1, 2)))
                .as("nothing changes in a sealed batch")
                .isEqualTo(id);
        assertThat(batches().find(id).orElseThrow().counts()).contains(new BatchCounts(0, 0, 0, 0, 0));
    }

    @Test
    void aFanOutWithARefusedJobLeavesNoBatchThoughTheCallerCommits() throws SQLException {
        BatchRequest request = request();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            List<JobRequest> placed = IntStream.range(0, 201)
                    .mapToObj(i -> JobRequest.of("load", i).onNodes("node-" + i))
                    .toList();
            assertThatThrownBy(() -> batches().in(connection).fanOut(request, placed))
                    .isInstanceOf(InvalidJob.class);
            connection.commit();
        }

        assertThat(batches().find(request.id())).isEmpty();
    }

    /** Otherwise everything that the caller writes afterwards would be in a subtransaction. */
    @Test
    void aFanOutLeavesNoSavepointInTheCallersTransaction() throws SQLException {
        database.execute("CREATE TABLE orders (id int)");
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            batches().in(connection).fanOut(request(), loads(1));
            statement.execute("INSERT INTO orders VALUES (1)");
            try (ResultSet rows =
                    statement.executeQuery("SELECT xmin::text = pg_current_xact_id()::xid::text FROM orders")) {
                rows.next();
                assertThat(rows.getBoolean(1))
                        .as("written by the transaction itself")
                        .isTrue();
            }
            connection.commit();
        }
    }

    /** The batch does not keep them, so that the order that was asked for would be lost without a word. */
    @Test
    void theCompletionJobNamesNoKey() {
        JobRequest report = JobRequest.of("report");
        for (JobRequest keyed :
                List.of(report.key("a"), report.fifo("a"), report.fairKey("a"), report.concurrencyKey("a"))) {
            assertThatThrownBy(() -> batches().create(BatchRequest.of("import").onComplete(keyed)))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessageContaining("'report'")
                    .hasMessageContaining("key of any kind");
        }
    }

    @Test
    void aCancelledBatchTakesNoMoreJobs() {
        BatchId id = batches().create(request());
        cluster.client().jobs().enqueue(JobRequest.of("load", 1).batch(id).delay(Duration.ofHours(1)));
        batches().cancel(id);

        assertThatThrownBy(() ->
                        cluster.client().jobs().enqueue(JobRequest.of("load", 2).batch(id)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("cancelled");
    }

    @Test
    void theCompletionJobRunsOnceWithTheCounts() {
        cluster.node(handlers);
        cluster.node(handlers);

        BatchId id = batches().fanOut(request(), loads(IntStream.range(-3, 100).toArray()));

        BatchInfo batch = batches().await(id, SOON);
        assertThat(batch.status()).isEqualTo(BatchStatus.FAILED);
        assertThat(completionOf(batch).status()).isEqualTo(JobStatus.COMPLETED);
        BatchCounts counts = new BatchCounts(0, 100, 3, 0, 0);
        assertThat(batch.counts()).contains(counts);
        assertThat(handlers.reports).containsExactly(new BatchSummary(id, "nightly", BatchStatus.FAILED, counts));
        assertThat(cluster.jobs().list(JobQuery.all().name("report"))).hasSize(1);
    }

    @Test
    void jobsAreAddedUntilTheBatchIsSealed() {
        cluster.node(handlers);
        BatchId id = batches().create(request());
        JobId first = cluster.jobs().enqueue(JobRequest.of("load", 1).batch(id));
        cluster.awaitEnded(first, PATIENCE);
        cluster.jobs().enqueue(JobRequest.of("load_two", id.toString()).batch(id));

        batches().seal(id);

        BatchInfo batch = batches().await(id, SOON);
        assertThat(batch.counts()).contains(new BatchCounts(0, 3, 0, 0, 0));
        assertThatThrownBy(() -> cluster.jobs().enqueue(JobRequest.of("load", 1).batch(id)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("closed");
        batches().seal(id);
        assertThat(batches().list(BatchQuery.all().status(BatchStatus.SUCCEEDED)))
                .extracting(BatchInfo::id)
                .containsExactly(id);
    }

    @Test
    void anEmptyBatchClosesAtOnce() {
        cluster.node(handlers);

        BatchInfo batch = batches().await(batches().fanOut(request(), List.of()), SOON);

        assertThat(batch.status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(completionOf(batch).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aBatchRunsOnTheTestsThread() {
        cluster.register(handlers);
        BatchId id = batches()
                .fanOut(request().condition(BatchCondition.decidedBy(JobRequest.of("judge"))), loads(1, 2, -3));

        cluster.drain();

        assertThat(batches().find(id).orElseThrow().status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(handlers.reports)
                .containsExactly(
                        new BatchSummary(id, "nightly", BatchStatus.SUCCEEDED, new BatchCounts(0, 2, 1, 0, 0)));
    }

    @Test
    void aJobThatFailsDecidesAgainstTheBatch() {
        cluster.register(handlers);
        BatchId id =
                batches().fanOut(request().condition(BatchCondition.decidedBy(JobRequest.of("judge"))), loads(-1, -2));

        cluster.drain();

        assertThat(batches().find(id).orElseThrow().status()).isEqualTo(BatchStatus.FAILED);
    }

    @Test
    void aBatchThatIsWaitedForInTheFutureClosesWithFastForward() {
        cluster.register(handlers);
        BatchId id = batches()
                .fanOut(
                        request().condition(BatchCondition.successRate(0.5)),
                        List.of(
                                JobRequest.of("load", 1),
                                JobRequest.of("load", 2).delay(Duration.ofHours(1))));
        cluster.fastForward(Duration.ofHours(2));

        assertThat(batches().find(id).orElseThrow().status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(handlers.reports).hasSize(1);
    }

    @Test
    void aCancelledBatchClosesAsCancelled() {
        cluster.node(handlers);
        BatchId id = batches().create(request());
        cluster.jobs()
                .enqueueAll(Collections.nCopies(
                        5, JobRequest.of("load", 1).delay(Duration.ofHours(1)).batch(id)));

        assertThat(batches().cancel(id).cancelled()).isEqualTo(5);

        BatchInfo batch = batches().await(id, SOON);
        assertThat(batch.status()).isEqualTo(BatchStatus.CANCELLED);
        assertThat(batch.counts()).contains(new BatchCounts(0, 0, 0, 5, 0));
        assertThat(completionOf(batch).status()).isEqualTo(JobStatus.COMPLETED);
        assertThatThrownBy(() -> batches().cancel(BatchId.next())).hasMessageContaining("there is no batch");
    }

    @Test
    void theLeaderCancelsTheJobsOfABatchWhoseCallerDiedMeanwhile() throws SQLException {
        cluster.node(handlers);
        BatchId id = batches().create(request());
        cluster.jobs()
                .enqueueAll(Collections.nCopies(
                        5, JobRequest.of("load", 1).delay(Duration.ofHours(1)).batch(id)));

        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "UPDATE muster_batches SET status = 'sealed', sealed_at = now(), cancel_requested = true");
        }

        BatchInfo batch = batches().await(id, SOON);
        assertThat(batch.status()).isEqualTo(BatchStatus.CANCELLED);
        assertThat(batch.counts()).contains(new BatchCounts(0, 0, 0, 5, 0));
    }

    @Test
    void aBatchInTheCallersTransactionIsThereWhenThatCommits() throws SQLException {
        cluster.node(handlers);
        BatchId rolledBack;
        BatchId committed;
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            rolledBack = batches().in(connection).fanOut(request(), loads(1));
            connection.rollback();
            committed = batches().in(connection).fanOut(request(), loads(1, 2));
            connection.commit();
        }

        assertThat(batches().await(committed, SOON).status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(batches().find(rolledBack)).isEmpty();
    }

    /** The node is told to close the batch and finds it locked; it has nobody else to rely on than itself and the leader. */
    @Test
    void aBatchWhoseRowIsLockedWhenItsLastJobEndsClosesLater() throws SQLException {
        cluster.node(handlers);
        BatchId id = batches().create(request());
        JobId job = cluster.jobs()
                .enqueue(JobRequest.of("load", 1).delay(Duration.ofHours(1)).batch(id));
        batches().seal(id);
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT FROM muster_batches FOR SHARE");
            }
            cluster.clock().advance(Duration.ofHours(1));
            cluster.awaitEnded(job, PATIENCE);
            assertThat(batches().find(id).orElseThrow().status()).isEqualTo(BatchStatus.SEALED);
            connection.rollback();
        }

        assertThat(batches().await(id, PATIENCE).status()).isEqualTo(BatchStatus.SUCCEEDED);
    }

    @Test
    void jobsThatABatchEnqueuesItselfTakeNoKeysOrTimes() {
        cluster.node(handlers);
        for (JobRequest wrong : List.of(
                JobRequest.of("report", "import").key("k"),
                JobRequest.of("report", "import").delay(Duration.ofHours(1)),
                JobRequest.of("report", "import").batch(BatchId.next()))) {
            assertThatThrownBy(() -> batches().create(BatchRequest.of("b").onComplete(wrong)))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessageContaining("batch 'b'");
        }
        assertThatThrownBy(() -> BatchCondition.successRate(0)).isInstanceOf(MusterException.class);
    }

    @Test
    void anObserverReadsBatchesAndChangesNone() throws Exception {
        BatchId id = batches().create(BatchRequest.of("b"));
        MusterConfig config = MusterConfig.defaults().with("node.mode", "observer");
        try (Muster observer = Muster.builder()
                .config(config)
                .dataSource(database.dataSource())
                .build()) {
            Batches observed = observer.batches();
            assertThat(observed.find(id)).isPresent();
            assertThat(observed.list(BatchQuery.all())).hasSize(1);
            assertThat(observed.await(id, Duration.ZERO).status()).isEqualTo(BatchStatus.OPEN);

            Set<String> reading = Set.of("find", "list", "await");
            for (Method method : Batches.class.getMethods()) {
                if (!reading.contains(method.getName())) {
                    assertThatThrownBy(() -> call(observed, method))
                            .as(method.getName())
                            .isInstanceOf(ObserverRefusal.class);
                }
            }
        }
    }

    private static void call(Object on, Method method) throws Throwable {
        try {
            method.setAccessible(true);
            method.invoke(on, new Object[method.getParameterCount()]);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void jobsInMemoryHaveNoBatches() {
        InlineJobs inline = new InlineJobs(handlers);

        assertThatThrownBy(() -> inline.enqueue(JobRequest.of("load", 1).batch(BatchId.next())))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("InlineJobs has no batches");
    }
}
