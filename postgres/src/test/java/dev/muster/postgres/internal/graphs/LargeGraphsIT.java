package dev.muster.postgres.internal.graphs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.GraphDraft;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.graph.GraphStore.NewGraph;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The largest graphs that are allowed, or a tenth of them. */
class LargeGraphsIT extends StoreOnFreshDatabase {
    private static final Logger log = LoggerFactory.getLogger(LargeGraphsIT.class);
    private static final int TASKS = Sizes.of(1_000, 10_000);

    private GraphStore graphs;
    private GraphId chain;

    @BeforeEach
    void prepare() {
        graphs = store.port(GraphStore.class);
    }

    private static long millisSince(long start) {
        return Duration.ofNanos(System.nanoTime() - start).toMillis();
    }

    private static NewGraph layers(int tasks, int layer, int parentsEach) {
        GraphDraft draft = GraphDraft.empty();
        for (int i = 0; i < tasks; i++) {
            Map<Integer, Boolean> parents = new LinkedHashMap<>();
            for (int j = 0; j < parentsEach && i >= layer; j++) {
                parents.put(i / layer * layer - 1 - (i * 7 + j * 3) % layer, true);
            }
            draft.task("task-" + i, Trigger.ALL_SUCCESS, parents);
        }
        return draft.graph();
    }

    @Test
    void manyTasksAreSubmittedInOneTransaction() {
        NewGraph graph = layers(TASKS, TASKS / 20, 5);

        long start = System.nanoTime();
        GraphId id = graphs.submit(graph).id();

        log.info("{} tasks were submitted in {} ms", TASKS, millisSince(start));
        assertThat(database.number("SELECT count(DISTINCT xmin::text) FROM muster_graph_tasks"))
                .as("transactions")
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(TASKS / 20);
        assertThat(graphs.find(id).orElseThrow().tasks()).isEqualTo(TASKS);
    }

    /** A chain whose first task was cancelled; nobody has told the graph. */
    private JobId cancelledChain(int tasks) {
        GraphDraft draft = GraphDraft.empty().task("t0");
        for (int i = 1; i < tasks; i++) {
            draft.task("t" + i, Trigger.ALL_SUCCESS, Map.of(i - 1, true));
        }
        chain = graphs.submit(draft.graph()).id();
        JobId first = graphs.tree(chain).orElseThrow().tasks().get(0).job();
        store.jobs().cancel(first);
        return first;
    }

    private long skipped() {
        return graphs.tree(chain).orElseThrow().tasks().stream()
                .filter(task -> task.status() == TaskStatus.SKIPPED)
                .count();
    }

    private void assertTheChainWasCancelled(int tasks) {
        assertThat(graphs.find(chain).orElseThrow().status()).isEqualTo(GraphStatus.CANCELLED);
        assertThat(skipped()).isEqualTo(tasks - 1);
    }

    @Test
    void aLongChainIsSkippedInSeveralShortTransactions() {
        JobId first = cancelledChain(1_800);

        List<Long> progress = new ArrayList<>();
        List<JobId> left = List.of(first);
        while (!left.isEmpty()) {
            List<JobId> rest = new ArrayList<>();
            store.dependencies().resolveSomeDependents(left, rest);
            progress.add(skipped());
            left = rest;
        }

        assertThat(progress).containsExactly(500L, 1_001L, 1_502L, 1_799L);
        assertTheChainWasCancelled(1_800);
    }

    @Test
    void theSweepContinuesWithAChainOfANodeThatDied() throws SQLException {
        store.dependencies().resolveSomeDependents(List.of(cancelledChain(1_800)), new ArrayList<>());
        assertThat(skipped()).isEqualTo(500);

        for (int i = 0; i < 3; i++) {
            try (Connection tx = database.transaction()) {
                graphs.sweep(tx, null);
                tx.commit();
            }
        }

        assertTheChainWasCancelled(1_800);
    }

    @Test
    void aTaskBelowASkippedChainStillStarts() {
        GraphDraft draft = GraphDraft.empty().task("t0");
        for (int i = 1; i < 700; i++) {
            draft.task("t" + i, Trigger.ALL_SUCCESS, Map.of(i - 1, true));
        }
        chain = graphs.submit(draft.task("clean-up", Trigger.ALL_DONE, Map.of(699, true))
                        .graph())
                .id();
        JobId first = graphs.tree(chain).orElseThrow().tasks().get(0).job();
        store.jobs().cancel(first);

        assertThat(store.dependencies().resolveDependents(List.of(first))).hasSize(1);

        assertThat(graphs.tree(chain)
                        .orElseThrow()
                        .task("clean-up")
                        .orElseThrow()
                        .status())
                .isEqualTo(TaskStatus.PENDING);
    }

    @Test
    void manyParentsOfOneTaskEndSomeAtATime() {
        GraphDraft draft = GraphDraft.empty();
        Map<Integer, Boolean> all = new LinkedHashMap<>();
        for (int i = 0; i < TASKS - 1; i++) {
            draft.task("t" + i);
            all.put(i, true);
        }
        GraphId graph =
                graphs.submit(draft.task("last", Trigger.ALL_DONE, all).graph()).id();
        List<JobId> jobs = graphs.tree(graph).orElseThrow().tasks().stream()
                .limit(TASKS - 1)
                .map(task -> task.job())
                .toList();
        database.execute("DELETE FROM muster_jobs");

        long start = System.nanoTime();
        for (int i = 0; i < jobs.size(); i += 10) {
            store.dependencies().resolveDependents(jobs.subList(i, Math.min(jobs.size(), i + 10)));
        }

        log.info("{} parents were resolved by tens in {} ms", jobs.size(), millisSince(start));
        assertThat(graphs.tree(graph).orElseThrow().task("last").orElseThrow().status())
                .isEqualTo(TaskStatus.PENDING);
    }
}
