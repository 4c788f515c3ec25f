package dev.muster.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Cancellations, retries and submissions while nodes end tasks. */
class GraphRacesIT extends GraphCluster {
    private final Etl etl = new Etl();

    private static GraphRequest layers(int layers, int width) {
        List<TaskRequest> tasks = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            for (int i = 0; i < width; i++) {
                TaskRequest task = TaskRequest.of(layer + "." + i, "say", Map.of("say", layer + "." + i));
                for (int parent = 0; layer > 0 && parent < width; parent++) {
                    task = task.dependsOn((layer - 1) + "." + parent);
                }
                tasks.add(task);
            }
        }
        return GraphRequest.of(tasks);
    }

    private static <T> List<T> atOnce(int threads, Callable<T> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<T>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(pool.submit(() -> {
                    start.await();
                    return work.call();
                }));
            }
            start.countDown();
            List<T> values = new ArrayList<>();
            for (Future<T> result : results) {
                values.add(result.get(90, TimeUnit.SECONDS));
            }
            return values;
        } finally {
            pool.shutdownNow();
        }
    }

    @RepeatedTest(3)
    void aGraphThatIsCancelledWhileItsTasksEndEndsAndLosesNothing(RepetitionInfo repetition) throws Exception {
        cluster.node(etl);
        cluster.node();
        GraphId graph = graphs().submit(layers(6, 10));
        int wanted = 15 * repetition.getCurrentRepetition() - 10;
        await().pollInterval(Duration.ofMillis(1)).until(() -> etl.effects.size() >= wanted);

        atOnce(3, () -> graphs().cancel(graph, "enough"));

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.CANCELLED);
        GraphTree tree = tree(graph);
        assertThat(tree.tasks()).allMatch(task -> task.status().isTerminal());
        assertThat(tree.graph().ended()).isEqualTo(60);
        assertThat(database.column("SELECT count(*)::text FROM muster_jobs")).containsExactly("0");
    }

    @Test
    void oneOfManySubmissionsWithTheSameKeyCounts() throws Exception {
        cluster.node(etl);

        Set<GraphId> ids =
                Set.copyOf(atOnce(8, () -> graphs().submit(layers(1, 5).key("once"))));

        assertThat(ids).hasSize(1);
        assertThat(ended(ids.iterator().next()).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(etl.effects).hasSize(5);
    }

    @Test
    void oneOfTwoRetriesCountsWhileNodesRun() throws Exception {
        cluster.node(etl);
        cluster.node();
        etl.loadFails.set(true);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("rows", "extract", Map.of("table", "t")),
                TaskRequest.of("load", "load", TaskRequest.from("rows")).dependsOn("rows"),
                TaskRequest.of("after", "say", Map.of("say", "after")).dependsOn("load")));
        assertThat(ended(graph).status()).isEqualTo(GraphStatus.FAILED);
        etl.loadFails.set(false);

        List<Integer> retried = atOnce(4, () -> graphs().retry(graph));

        assertThat(retried).containsExactlyInAnyOrder(2, 0, 0, 0);
        assertThat(ended(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(etl.effects)
                .containsOnlyOnce("after")
                .filteredOn(effect -> effect.startsWith("load"))
                .hasSize(1);
    }

    @Test
    void manyNodesEndManyTasksAndEachIsDecidedOnce() {
        int layers = Sizes.of(6, 20);
        for (int i = 0; i < 3; i++) {
            cluster.node(i == 0 ? new Object[] {etl} : new Object[0]);
        }

        GraphId graph = graphs().submit(layers(layers, 25));

        assertThat(ended(graph).status()).isEqualTo(GraphStatus.COMPLETED);
        Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
        etl.effects.forEach(effect ->
                counts.computeIfAbsent(effect, key -> new AtomicInteger()).incrementAndGet());
        assertThat(counts).hasSize(25 * layers);
        assertThat(counts.values()).allMatch(count -> count.get() == 1);
        List<Integer> order = etl.effects.stream()
                .map(effect -> Integer.valueOf(effect.substring(0, effect.indexOf('.'))))
                .toList();
        assertThat(order).isSorted();
    }

    /** Completes in a transaction that it keeps open, and then rolls back. */
    static final class Undecided {
        final CountDownLatch open = new CountDownLatch(1);
        final CountDownLatch mayRollBack = new CountDownLatch(1);

        @Job(value = "undecided", backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "5m"))
        void run(JobContext ctx) throws SQLException, InterruptedException {
            try (Connection connection = ctx.connection()) {
                connection.setAutoCommit(false);
                ctx.completeIn(connection);
                open.countDown();
                mayRollBack.await();
                connection.rollback();
            }
        }
    }

    @Test
    void aHandlersOpenTransactionDoesNotHoldUpACancellationAndDoesNotEscapeIt() throws Exception {
        Undecided undecided = new Undecided();
        cluster.node(etl, undecided);
        GraphId graph = graphs().submit(GraphRequest.of(
                TaskRequest.of("undecided", "undecided", Map.of()),
                TaskRequest.of("elsewhere", "say", Map.of("say", "never")).require("no-such-node"),
                TaskRequest.of("after", "say", Map.of("say", "never")).dependsOn("undecided")));
        undecided.open.await();

        assertThat(graphs().cancel(graph, "enough")).isTrue();

        assertThat(statuses(graph))
                .containsEntry("undecided", TaskStatus.RUNNING)
                .containsEntry("elsewhere", TaskStatus.CANCELLED)
                .containsEntry("after", TaskStatus.CANCELLED);
        undecided.mayRollBack.countDown();
        assertThat(ended(graph).status()).isEqualTo(GraphStatus.CANCELLED);
        assertThat(statuses(graph)).containsEntry("undecided", TaskStatus.CANCELLED);
    }
}
