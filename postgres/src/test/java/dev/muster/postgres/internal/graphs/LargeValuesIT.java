package dev.muster.postgres.internal.graphs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.GraphDraft;
import dev.muster.contracts.internal.RunDraft;
import dev.muster.graph.GraphId;
import dev.muster.graph.TaskInfo;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows.RunQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees and lists have all their rows, but not all of their values: a node has no room for that many. */
class LargeValuesIT extends OnFreshDatabase {
    private static final int ROWS = 20;
    private static final int CHARACTERS = 1 << 20;

    /** Values that the server stores in a few kilobytes, and values that it cannot make smaller. */
    private static final String SMALL_ON_DISK = "to_jsonb(repeat('x', " + CHARACTERS + " - 2))";

    private static final String LARGE_ON_DISK = "(SELECT to_jsonb(left(string_agg(md5(i::text || number), ''), "
            + CHARACTERS + " - 2)) FROM generate_series(1, " + CHARACTERS / 32 + ") i)";

    private static void areBounded(Stream<String> values) {
        List<String> all = values.toList();
        assertThat(all).hasSize(ROWS);
        long kept = all.stream().filter(text -> text.length() == CHARACTERS).count();
        assertThat(kept).isBetween(PageText.SEARCH_LIMIT / CHARACTERS - 2, PageText.SEARCH_LIMIT / CHARACTERS);
        assertThat(all.stream().skip(kept)).containsOnly(LeftOut.TEXT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTreeHasAllTasksAndSomeOfTheirResults(boolean large) {
        GraphStore graphs = database.store().port(GraphStore.class);
        GraphDraft draft = GraphDraft.empty();
        IntStream.range(0, ROWS).forEach(i -> draft.task("t" + i));
        GraphId graph = graphs.submit(draft.task("last", "t0").graph()).id();
        database.execute("UPDATE muster_graph_tasks SET result = " + (large ? LARGE_ON_DISK : SMALL_ON_DISK)
                + " WHERE task_id <> 'last'");

        List<TaskInfo> tasks = graphs.tree(graph).orElseThrow().tasks();

        assertThat(tasks).hasSize(ROWS + 1);
        areBounded(tasks.stream().flatMap(task -> task.result().stream()));
        assertThat(graphs.task(graph, "t19").flatMap(TaskInfo::result).map(String::length))
                .contains(CHARACTERS);
        assertThat(graphs.task(graph, "last").orElseThrow().dependsOn())
                .isEqualTo(tasks.get(ROWS).dependsOn());
        assertThat(graphs.task(graph, "t20")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListHasAllRunsAndSomeOfTheirResults(boolean large) {
        WorkflowStore runs = database.store().port(WorkflowStore.class);
        List<NewRun> drafts =
                IntStream.range(0, ROWS).mapToObj(i -> RunDraft.of("a").run()).toList();
        runs.start(drafts);
        database.execute("UPDATE muster_workflow_runs SET result = "
                + (large ? LARGE_ON_DISK.replace("number", "muster_workflow_runs.id") : SMALL_ON_DISK));

        List<RunInfo> listed = runs.list(RunQuery.all());

        areBounded(listed.stream().map(RunInfo::result).flatMap(Optional::stream));
        assertThat(listed).extracting(RunInfo::input).contains("{}");
        assertThat(runs.find(listed.get(ROWS - 1).id()).flatMap(RunInfo::result).map(String::length))
                .contains(CHARACTERS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunHasAllStepsAndSomeOfTheirResults(boolean large) {
        WorkflowStore runs = database.store().port(WorkflowStore.class);
        JobId run = JobId.next();
        runs.start(List.of(RunDraft.of("a").id(run).run()));
        database.execute(
                "INSERT INTO muster_workflow_steps (run_id, path, steps_from, seq, token, attempt, stored_at, kind, status, name,"
                        + " result) SELECT r.id, number::text, r.steps_from, number, 1, 1, now(), 'step', 'completed', 'work', "
                        + (large ? LARGE_ON_DISK : SMALL_ON_DISK)
                        + " FROM muster_workflow_runs r, generate_series(0, " + (ROWS - 1) + ") number");

        List<StepInfo> steps = runs.steps(run);

        areBounded(steps.stream().flatMap(step -> step.result().stream()));
        assertThat(runs.step(run, "19").flatMap(StepInfo::result).map(String::length))
                .contains(CHARACTERS);
        assertThat(runs.step(run, "20")).isEmpty();
    }

    @Test
    void errorsOfTasksCountToo() {
        GraphStore graphs = database.store().port(GraphStore.class);
        GraphDraft draft = GraphDraft.empty();
        IntStream.range(0, ROWS).forEach(i -> draft.task("t" + i));
        GraphId graph = graphs.submit(draft.graph()).id();
        database.execute("UPDATE muster_graph_tasks SET error = repeat('x', " + CHARACTERS + ")");

        areBounded(graphs.tree(graph).orElseThrow().tasks().stream().flatMap(task -> task.error().stream()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListHasAllCronsAndSomeOfTheirArgs(boolean large) {
        CronStore crons = database.store().port(CronStore.class);
        IntStream.range(0, ROWS).forEach(i -> crons.create(cron("c" + (i + 100))));
        database.execute("UPDATE muster_crons SET args = "
                + (large ? LARGE_ON_DISK.replace("number", "muster_crons.name") : SMALL_ON_DISK));

        areBounded(crons.list().stream().map(cron -> cron.definition().args()));
        assertThat(crons.find("c119").orElseThrow().definition().args()).hasSize(CHARACTERS);
    }

    private static CronDefinition cron(String name) {
        return new CronDefinition(
                name,
                "0 * * * *",
                "UTC",
                Misfire.FIRE_ONCE,
                1,
                Overlap.ALLOW,
                Duration.ZERO,
                "job",
                "{}",
                JobOptions.NONE);
    }
}
