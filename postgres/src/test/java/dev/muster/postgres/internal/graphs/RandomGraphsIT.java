package dev.muster.postgres.internal.graphs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.GraphDraft;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.graph.Trigger.Decision;
import dev.muster.graph.Trigger.Parent;
import dev.muster.internal.graph.GraphStore;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database decides about tasks as {@link Trigger} does, whatever the order in which they end. */
class RandomGraphsIT extends StoreOnFreshDatabase {
    private static final int GRAPHS = Sizes.of(40, 500);

    private GraphStore graphs;

    @BeforeEach
    void prepare() {
        graphs = store.port(GraphStore.class);
        // The partition of today, which a node would have made.
        store.claims().prepareHistory();
    }

    /** A random graph, and how its tasks end if they run. */
    private record Plan(
            GraphDraft draft, List<Trigger> triggers, List<Map<Integer, Boolean>> parents, List<TaskStatus> outcomes) {}

    private static Plan plan(Random random) {
        GraphDraft draft = GraphDraft.empty();
        List<Trigger> triggers = new ArrayList<>();
        List<Map<Integer, Boolean>> parents = new ArrayList<>();
        List<TaskStatus> outcomes = new ArrayList<>();
        int size = 1 + random.nextInt(20);
        for (int i = 0; i < size; i++) {
            Map<Integer, Boolean> own = new LinkedHashMap<>();
            for (int j = random.nextInt(4); j > 0 && i > 0; j--) {
                own.put(random.nextInt(i), random.nextInt(4) > 0);
            }
            Trigger trigger = Trigger.known().get(random.nextInt(Trigger.known().size()));
            if (!own.containsValue(true)) {
                trigger = random.nextBoolean() ? Trigger.ALL_SUCCESS : Trigger.ALL_DONE;
            }
            draft.task("t" + i, trigger, own);
            triggers.add(trigger);
            parents.add(own);
            outcomes.add(List.of(TaskStatus.COMPLETED, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)
                    .get(random.nextInt(4)));
        }
        return new Plan(draft, triggers, parents, outcomes);
    }

    private static List<TaskStatus> expected(Plan plan) {
        List<TaskStatus> ended = new ArrayList<>();
        for (int i = 0; i < plan.triggers().size(); i++) {
            List<Parent> parents = plan.parents().get(i).entrySet().stream()
                    .map(parent -> new Parent(parent.getValue(), ended.get(parent.getKey())))
                    .toList();
            Decision decision = plan.triggers().get(i).decide(parents);
            assertThat(decision).isNotEqualTo(Decision.WAIT);
            ended.add(decision == Decision.READY ? plan.outcomes().get(i) : TaskStatus.SKIPPED);
        }
        return ended;
    }

    private static GraphStatus expectedStatus(Plan plan, List<TaskStatus> ended) {
        for (int i = 0; i < ended.size(); i++) {
            int task = i;
            List<Boolean> taken = plan.parents().stream()
                    .filter(parents -> parents.containsKey(task))
                    .map(parents -> parents.get(task))
                    .toList();
            boolean tolerated = !taken.isEmpty() && !taken.contains(true);
            if (ended.get(i) == TaskStatus.FAILED && !tolerated) {
                return GraphStatus.FAILED;
            }
        }
        return ended.contains(TaskStatus.CANCELLED) ? GraphStatus.CANCELLED : GraphStatus.COMPLETED;
    }

    @Test
    void theDatabaseDecidesAsJavaDoes() {
        Random random = new Random(Seeds.next(getClass()));
        Map<GraphId, Plan> plans = new HashMap<>();
        for (int i = 0; i < GRAPHS; i++) {
            Plan plan = plan(random);
            plans.put(graphs.submit(plan.draft().graph()).id(), plan);
        }

        runAll(plans, random);

        plans.forEach((id, plan) -> {
            GraphTree tree = graphs.tree(id).orElseThrow();
            List<TaskStatus> expected = expected(plan);
            assertThat(tree.tasks()).as("%s", plan).extracting(TaskInfo::status).isEqualTo(expected);
            assertThat(tree.graph().status()).as("%s", plan).isEqualTo(expectedStatus(plan, expected));
            assertThat(tree.graph().ended()).isEqualTo(tree.tasks().size());
            assertThat(tree.tasks())
                    .filteredOn(task -> task.status() == TaskStatus.SKIPPED)
                    .allMatch(task -> task.reason().isPresent());
        });
    }

    @Test
    void afterARetryTheDatabaseDecidesAsIfNothingHadHappened() {
        Random random = new Random(Seeds.next(getClass()));
        Map<GraphId, Plan> plans = new HashMap<>();
        for (int i = 0; i < GRAPHS; i++) {
            Plan plan = plan(random);
            plans.put(graphs.submit(plan.draft().graph()).id(), plan);
        }
        runAll(plans, random);
        Map<GraphId, List<TaskStatus>> before = new HashMap<>();
        plans.keySet().forEach(id -> before.put(id, statuses(id)));
        // Everything that ran before ends in the same way again, so only handlers of failures have a past.
        plans.keySet().forEach(id -> graphs.retry(id, null));

        runAll(plans, random);

        plans.forEach((id, plan) -> {
            assertThat(graphs.find(id).orElseThrow().status().isTerminal()).isTrue();
            assertThat(statuses(id)).as("%s", plan).isEqualTo(before.get(id));
        });
    }

    private List<TaskStatus> statuses(GraphId graph) {
        return graphs.tree(graph).orElseThrow().tasks().stream()
                .map(TaskInfo::status)
                .toList();
    }

    /** Ends jobs in random order, several at a time, until none is left. */
    private void runAll(Map<GraphId, Plan> plans, Random random) {
        while (true) {
            Map<JobId, TaskStatus> ready = new HashMap<>();
            plans.forEach((id, plan) -> {
                if (!graphs.find(id).orElseThrow().status().isTerminal()) {
                    List<TaskInfo> tasks = graphs.tree(id).orElseThrow().tasks();
                    for (int i = 0; i < tasks.size(); i++) {
                        if (tasks.get(i).status() == TaskStatus.PENDING) {
                            ready.put(tasks.get(i).job(), plan.outcomes().get(i));
                        }
                    }
                }
            });
            if (ready.isEmpty()) {
                return;
            }
            List<JobId> jobs = new ArrayList<>(ready.keySet());
            Collections.shuffle(jobs, random);
            List<JobId> some = jobs.subList(0, 1 + random.nextInt(jobs.size()));
            some.stream().collect(Collectors.groupingBy(ready::get)).forEach((outcome, ended) -> endAs(outcome, ended));
            store.dependencies().resolveDependents(some);
        }
    }

    private void endAs(TaskStatus outcome, List<JobId> jobs) {
        String ids = jobs.stream().map(id -> "'" + id + "'").collect(Collectors.joining(", "));
        database.execute("WITH ended AS (DELETE FROM muster_jobs WHERE id IN (" + ids + ") RETURNING *)"
                + " INSERT INTO muster_job_history (id, token, finished_at, run_at, created_at, priority, attempt, crashes, status,"
                + " name, queue, capability, args) SELECT id, 1, muster_clock(), run_at, created_at, priority, 1, 0, '"
                + outcome.text() + "', name, queue, capability, args FROM ended");
    }
}
