package dev.muster.graph;

import static dev.muster.graph.TaskRequest.from;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.graph.TaskInputs;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Graphs run their tasks in order, hand over results, and end however their tasks end. */
class GraphIT extends GraphCluster {
    private final Etl etl = new Etl();

    private static GraphRequest etl() {
        return GraphRequest.of(
                        TaskRequest.of("extract", "extract", Map.of("table", "orders")),
                        TaskRequest.of("transform", "transform", Map.of("rows", from("extract", "/rows"), "factor", 10))
                                .dependsOn("extract"),
                        TaskRequest.of("load", "load", from("transform")).dependsOn("transform"),
                        TaskRequest.of("report", "say", Map.of("say", "loaded")).dependsOn("load"),
                        TaskRequest.of("alarm", "notify", Map.of("rows", from("load"), "text", "load failed"))
                                .dependsOn("load")
                                .trigger(Trigger.ANY_FAILED))
                .name("etl");
    }

    @Test
    void runsTasksInOrderAndHandsOverResults() {
        cluster.node(etl);

        GraphId graph = graphs().submit(etl());

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(etl.effects).containsExactly("extract orders", "transform [1, 2, 3]", "load [10, 20, 30]", "loaded");
        assertThat(statuses(graph))
                .containsEntry("load", TaskStatus.COMPLETED)
                .containsEntry("alarm", TaskStatus.SKIPPED);
        assertThat(task(graph, "alarm").reason()).contains("none of its required parents failed");
        assertThat(task(graph, "load").result()).contains("3");
        assertThat(graphs().find(graph).orElseThrow().progress()).isEqualTo(100);
    }

    @Test
    void aTaskIsAJobOnlyOnceItIsReady() {
        cluster.register(etl);
        GraphId graph = graphs().submit(etl());

        assertThat(cluster.jobs().find(task(graph, "extract").job())).isPresent();
        assertThat(cluster.jobs().find(task(graph, "transform").job())).isEmpty();
        assertThat(task(graph, "transform").status()).isEqualTo(TaskStatus.WAITING);
        assertThat(tree(graph).why(task(graph, "transform"))).contains("waits for extract (pending)");

        cluster.drain();
        assertThat(found(graph).status()).isEqualTo(GraphStatus.COMPLETED);
    }

    private GraphInfo found(GraphId graph) {
        return graphs().find(graph).orElseThrow();
    }

    @Test
    void aFailureSkipsWhatNeedsItAndRunsItsHandler() {
        cluster.register(etl);
        etl.loadFails.set(true);
        GraphId graph = graphs().submit(etl());

        cluster.drain();

        assertThat(found(graph).status()).isEqualTo(GraphStatus.FAILED);
        assertThat(task(graph, "report").status()).isEqualTo(TaskStatus.SKIPPED);
        assertThat(task(graph, "report").reason()).contains("parent load failed");
        assertThat(task(graph, "load").error().orElseThrow()).contains("disk full");
        assertThat(etl.effects).endsWith("notify load failed null");
    }

    @Test
    void anOptionalParentsFailureIsTolerated() {
        cluster.register(etl);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("enrich", "fail"),
                TaskRequest.of("extract", "extract", Map.of("table", "t")),
                TaskRequest.of("tell", "notify", Map.of("rows", from("enrich", "/x"), "text", "done"))
                        .dependsOn("extract")
                        .dependsOnOptional("enrich")));

        cluster.drain();

        assertThat(found(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(etl.effects).containsExactly("extract t", "notify done null");
    }

    @Test
    void inputsAreAssembledForEachAttempt() {
        cluster.node(etl);
        etl.attemptsToFail.set(2);

        GraphId graph = graphs().submit(etl());

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(task(graph, "transform").attempt()).isEqualTo(3);
    }

    @Test
    void aPathThatFindsNothingFailsTheTaskAtOnce() {
        cluster.node(etl);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("extract", "extract", Map.of("table", "orders")),
                TaskRequest.of("load", "load", Map.of("rows", from("extract", "/lines"), "from", "x"))
                        .dependsOn("extract")));

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.FAILED);
        assertThat(task(graph, "load").error().orElseThrow())
                .contains("the result of its parent 'extract' has nothing at /lines");
        assertThat(task(graph, "load").attempt()).isEqualTo(1);
    }

    @Test
    void inputsThatDoNotFitTheHandlerFailTheTaskAtOnce() {
        cluster.node(etl);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("extract", "extract", Map.of("table", "orders")),
                TaskRequest.of("transform", "transform", Map.of("rows", from("extract", "/from"), "factor", 1))
                        .dependsOn("extract")));

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.FAILED);
        assertThat(task(graph, "transform").error().orElseThrow()).contains("args do not fit");
    }

    @Test
    void inputsWithoutReferencesAreCheckedAtSubmission() {
        cluster.register(etl);

        GraphRequest wrong = GraphRequest.of(TaskRequest.of("a", "extract", Map.of("tabel", "orders")));

        assertThatThrownBy(() -> graphs().submit(wrong))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageStartingWith("tasks[0]: args of job 'extract' do not fit");
    }

    @Test
    void aKeyMakesSubmissionRepeatable() {
        cluster.register(etl);

        GraphId first = graphs().submit(etl().key("2026-11-16"));
        GraphId second = graphs().submit(etl().key("2026-11-16"));

        assertThat(second).isEqualTo(first);
        cluster.drain();
        assertThat(graphs().submit(etl().key("2026-11-16"))).isEqualTo(first);
        assertThat(etl.effects).filteredOn("extract orders"::equals).hasSize(1);
    }

    @Test
    void aGraphIsSubmittedInTheCallersTransaction() throws SQLException {
        cluster.register(etl);
        GraphId undone;
        GraphId kept;
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            undone = graphs().in(connection).submit(etl());
            connection.rollback();
            kept = graphs().in(connection).submit(etl());
            assertThat(graphs().find(kept)).isEmpty();
            connection.commit();
        }

        cluster.drain();

        assertThat(graphs().find(undone)).isEmpty();
        assertThat(found(kept).status()).isEqualTo(GraphStatus.COMPLETED);
    }

    @Test
    void cancellingAGraphEndsWhatWaitsAndAsksWhatRuns() throws InterruptedException {
        etl.mayLoad = new CountDownLatch(1);
        cluster.node(etl);
        GraphId graph = graphs().submit(etl());
        assertThat(etl.loading.await(90, TimeUnit.SECONDS)).isTrue();

        assertThat(graphs().cancel(graph, "wrong day")).isTrue();

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.CANCELLED);
        assertThat(found(graph).reason()).contains("wrong day");
        assertThat(statuses(graph))
                .containsEntry("extract", TaskStatus.COMPLETED)
                .containsEntry("load", TaskStatus.CANCELLED)
                .containsEntry("report", TaskStatus.CANCELLED)
                .containsEntry("alarm", TaskStatus.CANCELLED);
        assertThat(graphs().cancel(graph, "again")).isFalse();
    }

    @Test
    void cancellingATaskEndsWhatIsBelowIt() {
        cluster.register(etl);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("left", "nothing"),
                TaskRequest.of("right", "nothing"),
                TaskRequest.of("below", "nothing").dependsOn("left"),
                TaskRequest.of("beside", "nothing").dependsOn("right")));

        assertThat(graphs().cancel(graph, "left", "not needed")).isTrue();
        cluster.drain();

        assertThat(statuses(graph))
                .containsEntry("left", TaskStatus.CANCELLED)
                .containsEntry("below", TaskStatus.CANCELLED)
                .containsEntry("beside", TaskStatus.COMPLETED);
        assertThat(found(graph).status()).isEqualTo(GraphStatus.CANCELLED);
        assertThatThrownBy(() -> graphs().cancel(graph, "lft", "typo"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has no task 'lft'");
    }

    @Test
    void aRetryRunsWhatFailedAndWhatWasSkippedForIt() {
        cluster.register(etl);
        etl.loadFails.set(true);
        GraphId graph = graphs().submit(etl());
        cluster.drain();
        JobId before = task(graph, "load").job();
        etl.loadFails.set(false);

        assertThat(graphs().retry(graph)).isEqualTo(2);
        assertThat(found(graph).status()).isEqualTo(GraphStatus.RUNNING);
        cluster.drain();

        assertThat(found(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(etl.effects)
                .containsExactly(
                        "extract orders",
                        "transform [1, 2, 3]",
                        "notify load failed null",
                        "load [10, 20, 30]",
                        "loaded");
        assertThat(task(graph, "load").job()).isNotEqualTo(before);
        assertThat(cluster.jobs().find(before).orElseThrow().status()).isEqualTo(JobStatus.FAILED);
        assertThat(graphs().retry(graph)).isZero();
        assertThat(graphs().retry(graph, "load")).isZero();
    }

    @Test
    void theJobOfATaskIsRetriedByItsGraphOnly() {
        cluster.register(etl);
        etl.loadFails.set(true);
        GraphId graph = graphs().submit(etl());
        cluster.drain();
        JobId load = task(graph, "load").job();

        assertThatThrownBy(() -> cluster.jobs().retry(load))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("is a task of a graph");
    }

    @Test
    void aJobThatIsCancelledOutsideItsGraphCancelsItsTask() {
        cluster.register(etl);
        GraphId graph = graphs().submit(etl());

        cluster.jobs().cancel(task(graph, "extract").job());

        assertThat(statuses(graph))
                .containsEntry("extract", TaskStatus.CANCELLED)
                .containsEntry("transform", TaskStatus.SKIPPED)
                .containsEntry("report", TaskStatus.SKIPPED);
        assertThat(task(graph, "report").reason()).contains("parent load was skipped");
        assertThat(found(graph).status()).isEqualTo(GraphStatus.CANCELLED);
    }

    @Test
    void theLeaderFindsATaskWhoseEndWasMissed() {
        cluster.register(etl);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("a", "nothing"), TaskRequest.of("b", "nothing").dependsOn("a")));
        JobId job = task(graph, "a").job();
        // The job goes as if the node that ended it had died at once.
        database.execute("DELETE FROM muster_jobs WHERE id = '" + job + "'");

        cluster.node(etl);

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.FAILED);
        assertThat(task(graph, "a").error().orElseThrow()).contains("neither live nor in history");
        assertThat(task(graph, "b").reason()).contains("parent a failed");
    }

    @Test
    void aGraphEndsWhenHistoryIsDroppedMeanwhile() throws InterruptedException {
        etl.mayLoad = new CountDownLatch(1);
        cluster.node(etl);
        GraphId graph = graphs().submit(etl());
        assertThat(etl.loading.await(90, TimeUnit.SECONDS)).isTrue();

        database.execute("DELETE FROM muster_job_history");
        etl.mayLoad.countDown();

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(task(graph, "transform").result().orElseThrow()).contains("30");
    }

    @Test
    void graphsAreListedAndFoundByNameAndStatus() {
        cluster.register(etl);
        GraphId first = graphs().submit(etl());
        cluster.drain();
        GraphId second = graphs().submit(etl().name("other"));

        assertThat(graphs().list(Graphs.GraphQuery.all()))
                .extracting(GraphInfo::id)
                .containsExactly(second, first);
        assertThat(graphs().list(Graphs.GraphQuery.all().name("etl").status(GraphStatus.COMPLETED)))
                .extracting(GraphInfo::id)
                .containsExactly(first);
    }

    @Test
    void aLongChainOfSkippedTasksIsDecidedAtOnce() {
        int tasks = Sizes.of(1_000, 10_000);
        cluster.register(etl);
        List<TaskRequest> chain = new ArrayList<>(List.of(TaskRequest.of("t0", "fail")));
        for (int i = 1; i < tasks; i++) {
            chain.add(TaskRequest.of("t" + i, "nothing").dependsOn("t" + (i - 1)));
        }
        GraphId graph = graphs().submit(GraphRequest.of(chain));

        cluster.drain();

        assertThat(found(graph).status()).isEqualTo(GraphStatus.FAILED);
        assertThat(task(graph, "t" + (tasks - 1)).reason()).contains("parent t" + (tasks - 2) + " was skipped");
    }

    @Test
    void oldGraphsAreForgotten() {
        cluster.register(etl);
        GraphId graph = graphs().submit(etl());
        cluster.drain();
        cluster.clock().advance(Duration.ofDays(60));

        cluster.node(etl);

        await().atMost(SOON).until(() -> graphs().find(graph).isEmpty());
        assertThat(database.column("SELECT count(*)::text FROM muster_graph_tasks"))
                .containsExactly("0");
        assertThat(database.column("SELECT count(*)::text FROM muster_graph_edges"))
                .containsExactly("0");
    }

    /** A task that takes the results of this many others, which have completed. */
    private JobId reduceOf(int parents, String result) {
        List<TaskRequest> tasks = new ArrayList<>();
        String[] ids = new String[parents];
        List<Object> inputs = new ArrayList<>();
        for (int i = 0; i < parents; i++) {
            ids[i] = "part-" + i;
            tasks.add(TaskRequest.of(ids[i], "say"));
            inputs.add(from(ids[i]));
        }
        tasks.add(TaskRequest.of("reduce", "say", inputs).dependsOn(ids));
        GraphId graph = graphs().submit(GraphRequest.of(tasks.toArray(TaskRequest[]::new)));
        database.execute(
                "UPDATE muster_graph_tasks SET status = 'completed', finished_at = muster_clock(), result = to_jsonb("
                        + result + ") WHERE graph_id = '" + graph + "' AND task_id <> 'reduce'");
        return JobId.of(database.column(
                        "SELECT job_id FROM muster_graph_tasks WHERE graph_id = '" + graph + "' AND task_id = 'reduce'")
                .get(0));
    }

    private TaskInputs inputs() {
        return new TaskInputs(
                cluster.client().api(NodeContext.class).port(GraphStore.class),
                cluster.client().api(NodeContext.class).payloads());
    }

    /** What this thread allocates while it reads and assembles the inputs of a task. */
    private long bytesToOpen(JobId job, int parents) {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        String args = inputs().open(job, STORED_TASK).orElseThrow().json();
        long used = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(args.length()).isGreaterThan(parents * 1_000);
        return used;
    }

    private static final String STORED_TASK = "{\"$muster\": \"graph\"}";

    @Test
    void whatATaskReadsGrowsWithTheResultsThatItTakes() {
        int parents = Sizes.of(1_000, 9_999);
        JobId half = reduceOf(parents / 2, "repeat(md5(number::text), 32)");
        JobId whole = reduceOf(parents, "repeat(md5(number::text), 32)");
        bytesToOpen(half, parents / 2);

        long bytesOfHalf = bytesToOpen(half, parents / 2);
        long start = System.nanoTime();
        long bytes = bytesToOpen(whole, parents);

        Measured.within(
                Duration.ofSeconds(5), Duration.ofNanos(System.nanoTime() - start), "reading " + parents + " results");
        assertThat(bytes).isLessThan(3 * bytesOfHalf);
        assertThat(bytes).as("most of it garbage").isLessThan(16_000L * parents);
    }

    /** Forty results of a megabyte each, which the database stores in half a megabyte. */
    @Test
    void resultsThatAreTooLargeTogetherAreNotRead() {
        JobId job = reduceOf(40, "repeat('x', 1000000)");

        assertThatThrownBy(() -> inputs().open(job, STORED_TASK))
                .isInstanceOf(BadArgs.class)
                .hasMessageContaining("40000080 bytes together, and may have 33554432");
        assertThat(cluster.client()
                        .api(NodeContext.class)
                        .port(GraphStore.class)
                        .source(job)
                        .orElseThrow()
                        .parents())
                .isEmpty();
    }
}
