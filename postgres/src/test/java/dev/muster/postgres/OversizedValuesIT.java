package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.contracts.internal.GraphDraft;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.contracts.internal.RunDraft;
import dev.muster.graph.GraphId;
import dev.muster.graph.TaskInfo;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.payload.TooLarge;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Content;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobOptions;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows.RunQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values that were stored before there was a rule about them, or with psql: nobody reads them, and they are in nobody's way. {@code
 * muster_text} decides it.
 */
class OversizedValuesIT extends StoreOnFreshDatabase {
    private static final int KB = 1_000;

    /** More than 1 GB as text, which PostgreSQL cannot even print. */
    private static final String UNPRINTABLE = many("1e131071", 9_000);

    /** A list that repeats this number, as an SQL expression. */
    private static String many(String number, int times) {
        return "('[' || array_to_string(array_fill('" + number + "'::text, ARRAY[" + times + "]), ',') || ']')::jsonb";
    }

    private String text(String value) {
        return database.column("SELECT muster_text(" + value + ")").get(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e131071",
                "-1e131071",
                "1e1000",
                "1e-16383",
                "0e-16383",
                "0.1e-1000",
                "{\"a\": {\"b\": [\"1\", 1e1000]}}"
            })
    void aNumberOfMoreThanAThousandDigitsIsNotRead(String json) {
        assertThat(text("jsonb_build_object('a', repeat('x', 5000), 'b', '" + json + "'::jsonb)"))
                .isEqualTo(TooLarge.TEXT);
        String alone = text("'" + json + "'");
        assertThat(alone.equals(TooLarge.TEXT) || alone.length() <= 1 << 16)
                .as("a small value is read as long as its text is small, too: %d", alone.length())
                .isTrue();
    }

    @Test
    void manyNumbersAreNotRead() {
        for (String value : List.of(
                many("1e131071", 60),
                many("0e-16383", 70),
                many("0e-16383", 100_000),
                many("1e-16383", 5_000),
                many("1e999", 60 * KB),
                UNPRINTABLE)) {
            assertThat(text(value)).as(value).isEqualTo(TooLarge.TEXT);
        }
    }

    @Test
    void textsAreReadUpTo4Megabytes() {
        assertThat(text("to_jsonb(repeat('x', 4194000))")).hasSize(4_194_002);
        for (String value : List.of(
                "to_jsonb(repeat('x', 4194303))",
                "to_jsonb(repeat(chr(1), 1000000))",
                "to_jsonb(repeat('é', 3000000))")) {
            assertThat(text(value)).as(value).isEqualTo(TooLarge.TEXT);
        }
    }

    @Test
    void whatCanBeStoredIsReadAsItIs() {
        for (String value : List.of(
                "'null'::jsonb",
                "'{\"a\": [1, 2.50, -0.001, true, null, \"é\\u0001\"]}'::jsonb",
                many("1e999", 60),
                many("1e999", KB),
                many("1e-998", KB),
                many("17", 100 * KB),
                many("1", 340 * KB),
                "jsonb_build_object('a', repeat('x', 2000), 'b', 1e999)",
                "to_jsonb(repeat(chr(1), 150000))",
                "(repeat('[', 900) || repeat(']', 900))::jsonb")) {
            assertThat(database.column("SELECT muster_text(v) = v::text FROM (SELECT " + value + " AS v) o"))
                    .as(value)
                    .containsExactly("t");
        }
        assertThat(text("NULL")).isNull();
        assertThat(database.column("SELECT muster_text('[1, 2]', 6, 'no') || muster_text('[1, 2]', 5, 'no')"))
                .containsExactly("[1, 2]no");
    }

    @Test
    void manySmallNumbersAreInNobodysWay() {
        JobId full = job(many("1", 340 * KB));
        JobId last = job("'2'");

        assertThat(args(store.jobReader()
                        .search(JobQuery.all(), Duration.ofSeconds(10))
                        .jobs()))
                .containsOnlyKeys(full, last);
        assertThat(args(store.jobReader().list(JobQuery.all())).get(full)).hasSize(3 * 340 * KB);
    }

    /** Whatever makes it slow: here each value takes longer than it should. */
    @Test
    void aPageEndsBeforeItsValuesTakeTooLong() {
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            jobs.add(0, job("'" + i + "'"));
        }
        database.execute(
                "CREATE OR REPLACE FUNCTION muster_text(stored jsonb, most bigint DEFAULT 4194304, instead text DEFAULT '')"
                        + " RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT CASE WHEN stored IS NOT NULL THEN stored::text || left(pg_sleep(0.35)::text, 0) END $$");
        List<JobId> found = new ArrayList<>();
        Optional<JobId> next = Optional.empty();
        do {
            JobQuery query = next.map(JobQuery.all()::before).orElse(JobQuery.all());
            JobPage page = store.jobReader().search(query, Duration.ofSeconds(10));
            assertThat(page.jobs()).isNotEmpty();
            page.jobs().forEach(job -> found.add(job.id()));
            next = page.next();
        } while (next.isPresent());
        assertThat(found).isEqualTo(jobs);
    }

    /** As the tables hold it: on a page of its own, and compressed. */
    @Test
    void whatIsCompressedIsMeasuredUnpacked() {
        database.execute("CREATE TABLE kept (v jsonb)");
        database.execute("INSERT INTO kept SELECT to_jsonb(repeat('x', 5000000))");
        database.execute("INSERT INTO kept SELECT to_jsonb(repeat('x', 100000))");
        assertThat(database.column("SELECT muster_text(v) FROM kept WHERE pg_column_compression(v) IS NOT NULL"))
                .containsExactly(TooLarge.TEXT, "\"" + "x".repeat(100_000) + "\"");
    }

    private ClaimFilter filter() {
        return new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(1));
    }

    private JobId job(String args) {
        JobId id = store.jobs().enqueue(List.of(JobDraft.plain("work"))).get(0);
        database.execute("UPDATE muster_jobs SET args = " + args + " WHERE id = '" + id + "'");
        return id;
    }

    @Test
    void jobsAreListedAndClaimedBesideThem() {
        JobId first = job("'{\"a\": 1}'");
        JobId unprintable = job(UNPRINTABLE);
        JobId small = job("'[1e131071]'");
        JobId middle = job(many("1e131071", 60));
        JobId zeros = job(many("0e-16383", 70));
        JobId large = job("jsonb_build_object('a', repeat('x', 100000))");
        JobId last = job("'2'");

        Map<JobId, String> listed = args(store.jobReader().list(JobQuery.all()));
        assertThat(listed)
                .containsEntry(first, "{\"a\": 1}")
                .containsEntry(unprintable, TooLarge.TEXT)
                .containsEntry(small, TooLarge.TEXT)
                .containsEntry(middle, TooLarge.TEXT)
                .containsEntry(zeros, TooLarge.TEXT)
                .containsEntry(large, "{\"a\": \"" + "x".repeat(100_000) + "\"}")
                .containsEntry(last, "2");
        assertThat(args(store.jobReader()
                        .search(JobQuery.all(), Duration.ofSeconds(10))
                        .jobs()))
                .isEqualTo(listed);
        listed.forEach((id, args) ->
                assertThat(store.jobReader().find(id).orElseThrow().args()).isEqualTo(args));

        Map<JobId, ClaimedJob> claimed =
                store.claims().openClaims(filter()).exchange(List.of(), 10, false, 200 * KB).claimed().stream()
                        .collect(Collectors.toMap(ClaimedJob::id, Function.identity()));
        assertThat(claimed.keySet()).isEqualTo(listed.keySet());
        for (JobId id : listed.keySet()) {
            boolean tooLarge = listed.get(id).equals(TooLarge.TEXT);
            ClaimedJob job = claimed.get(id);
            assertThat(job.args()).as("%s %s", id, listed.get(id)).isEqualTo(tooLarge ? null : listed.get(id));
            assertThat(store.claims().content(job.claim()).map(Content::args)).contains(listed.get(id));
        }
        assertThat(store.claims().openClaims(filter()).exchange(List.of(), 1).claimed())
                .isEmpty();
    }

    private static Map<JobId, String> args(List<JobInfo> jobs) {
        return jobs.stream().collect(Collectors.toMap(JobInfo::id, JobInfo::args));
    }

    @Test
    void onlyAShareOfWhatFitsTheNodeComesWithTheClaim() {
        JobId small = job("jsonb_build_object('a', repeat('x', 500))");
        JobId compressed = job("jsonb_build_object('a', repeat('x', 50000))");
        Map<JobId, ClaimedJob> claimed =
                store.claims().openClaims(filter()).exchange(List.of(), 10, false, 10 * KB).claimed().stream()
                        .collect(Collectors.toMap(ClaimedJob::id, Function.identity()));
        assertThat(claimed.get(small).args()).hasSize(509);
        assertThat(claimed.get(compressed).args()).isNull();
    }

    @Test
    void endedJobsAreListedBesideThem() {
        JobId bad = job("'1'");
        JobId good = job("'2'");
        store.claims().prepareHistory();
        List<ClaimedJob> claimed =
                store.claims().openClaims(filter()).exchange(List.of(), 10).claimed();
        store.claims()
                .openClaims(filter())
                .exchange(
                        claimed.stream()
                                .<Outcome>map(job -> new Outcome.Completed(job.claim(), "\"done\""))
                                .toList(),
                        0);
        database.execute("UPDATE muster_job_history SET args = " + UNPRINTABLE + ", result = " + UNPRINTABLE
                + " WHERE id = '" + bad + "'");

        List<JobInfo> listed = store.jobReader().list(JobQuery.all());

        assertThat(args(listed)).isEqualTo(Map.of(bad, TooLarge.TEXT, good, "2"));
        assertThat(store.jobReader().find(bad).flatMap(JobInfo::result)).contains(TooLarge.TEXT);
        assertThat(store.jobReader().find(good).flatMap(JobInfo::result)).contains("\"done\"");
    }

    @Test
    void runsAreListedAndLoadedBesideThem() {
        WorkflowStore runs = store.port(WorkflowStore.class);
        JobId bad = runs.start(List.of(RunDraft.of("a").run())).ids().get(0);
        JobId good = runs.start(List.of(RunDraft.of("a").run())).ids().get(0);
        Map<JobId, ClaimRef> claims = store.claims().openClaims(filter()).exchange(List.of(), 10).claimed().stream()
                .map(ClaimedJob::claim)
                .collect(Collectors.toMap(ClaimRef::id, Function.identity()));
        RunClaim held = new RunClaim(
                claims.get(bad), runs.load(claims.get(bad)).orElseThrow().timeline());
        runs.save(held, RunDraft.completed("1", "step", "1"), "n");
        database.execute("UPDATE muster_workflow_runs SET input = " + UNPRINTABLE + ", result = " + UNPRINTABLE
                + " WHERE id = '" + bad + "'");
        database.execute("UPDATE muster_workflow_steps SET result = " + UNPRINTABLE);
        runs.signal(bad, "e1", "go", "1");
        database.execute("UPDATE muster_workflow_events SET payload = " + UNPRINTABLE);

        assertThat(runs.list(RunQuery.all()))
                .extracting(RunInfo::id, RunInfo::input, RunInfo::result)
                .containsExactlyInAnyOrder(
                        tuple(bad, TooLarge.TEXT, Optional.of(TooLarge.TEXT)), tuple(good, "{}", Optional.empty()));
        assertThat(runs.find(bad).map(RunInfo::input)).contains(TooLarge.TEXT);
        assertThat(runs.current(bad).flatMap(RunInfo::result)).contains(TooLarge.TEXT);
        assertThat(runs.steps(bad)).extracting(StepInfo::result).containsExactly(Optional.of(TooLarge.TEXT));
        assertThat(runs.load(claims.get(bad)).orElseThrow().input()).isEqualTo(TooLarge.TEXT);
        assertThat(runs.load(claims.get(bad)).orElseThrow().steps())
                .extracting(WorkflowStore.StepRow::result)
                .containsExactly(TooLarge.TEXT);
        assertThat(runs.load(claims.get(good)).orElseThrow().input()).isEqualTo("{}");
        assertThat(runs.awaitEvent(held, RunDraft.waiting("2", "go"), "go", null, "n")
                        .row()
                        .result())
                .isEqualTo(TooLarge.TEXT);
    }

    @Test
    void graphsAreReadBesideThem() {
        GraphStore graphs = store.port(GraphStore.class);
        GraphId graph = graphs.submit(GraphDraft.empty()
                        .task("bad")
                        .task("good")
                        .task("below", "bad", "good")
                        .graph())
                .id();
        database.execute("UPDATE muster_graph_tasks SET inputs = " + UNPRINTABLE + ", result = " + UNPRINTABLE
                + " WHERE task_id = 'bad'");
        List<TaskInfo> tasks = graphs.tree(graph).orElseThrow().tasks();

        assertThat(tasks)
                .extracting(TaskInfo::inputs)
                .containsExactly(TooLarge.TEXT, "{\"task\": \"good\"}", "{\"task\": \"below\"}");
        assertThat(graphs.task(graph, "bad").flatMap(TaskInfo::result)).contains(TooLarge.TEXT);
        assertThat(graphs.source(tasks.get(0).job()).orElseThrow().inputs()).isEqualTo(TooLarge.TEXT);
        assertThat(graphs.source(tasks.get(2).job()).orElseThrow().inputs()).isEqualTo("{\"task\": \"below\"}");
    }

    @Test
    void cronsAreListedBesideThem() {
        CronStore crons = store.port(CronStore.class);
        for (String name : List.of("bad", "good")) {
            crons.create(new CronDefinition(
                    name,
                    "0 3 * * *",
                    "UTC",
                    Misfire.SKIP,
                    1,
                    Overlap.ALLOW,
                    Duration.ZERO,
                    "work",
                    "{}",
                    JobOptions.DEFAULTS));
        }
        database.execute("UPDATE muster_crons SET args = " + UNPRINTABLE + " WHERE name = 'bad'");

        assertThat(crons.list()).extracting(cron -> cron.definition().args()).containsExactly(TooLarge.TEXT, "{}");
        assertThat(crons.find("bad").map(CronInfo::definition).map(CronDefinition::args))
                .contains(TooLarge.TEXT);
    }
}
