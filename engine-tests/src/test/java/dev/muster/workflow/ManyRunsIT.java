package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.config.MusterConfig;
import dev.muster.engine.ExplainedServer;
import dev.muster.engine.ExplainedServer.Statement;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * However many runs, graphs and batches there are, no statement of a node or of an operator takes longer than 200 ms. With fewer of them and on any
 * machine: none visits more than a window of them.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class ManyRunsIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int LIMIT_MS = 200;

    /** The runs of a window, each compared with the two versions that no node has. A count ends at 10,000. */
    private static final int MOST_ROWS = 4_001;

    /** Each of the 2,000 runs of a window is looked up in two tables and their indexes. */
    private static final int MOST_PAGES = 22_000;

    private static final int MOST_WRITTEN = 500;

    private static final Pattern OURS = Pattern.compile("muster_(workflow|graph|batch|signal_run|chain)");

    /** The steps of a run move to another day together: the run's row says on which day they are. */
    private static final Pattern MOVES_A_RUN = Pattern.compile("UPDATE muster_workflow_steps s SET steps_from");

    private final List<Muster> nodes = Collections.synchronizedList(new ArrayList<>());
    private ExplainedServer explained;
    private String url;

    /** The code of two services. The runs of a third one have no code any more. */
    public static final class Sleepers {
        @Workflow(name = "sleep", version = "v1")
        void sleep(WorkflowContext wf) {
            wf.sleep(Duration.ofDays(30));
        }

        @Workflow(name = "go", version = "v1")
        void go(WorkflowContext wf) {}

        @Workflow(name = "paused", version = "v1", queue = "elsewhere")
        void paused(WorkflowContext wf) {}

        @Workflow(name = "parent", version = "v1")
        void parent(WorkflowContext wf) {
            wf.awaitEvent("never", String.class);
        }

        @Workflow(name = "child", version = "v1", queue = "elsewhere")
        void child(WorkflowContext wf) {
            wf.awaitEvent("never", String.class);
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(Muster::close);
        explained.close();
    }

    private Muster node(String id) {
        Muster node = Muster.builder()
                .config(MusterConfig.defaults()
                        .with("database.url", url)
                        .with("node.id", id)
                        .with("node.queues", "default")
                        .with("worker.lease", "60s")
                        .with("leader.lease", "30s"))
                .register(new Sleepers())
                .build();
        nodes.add(node);
        node.start();
        return node;
    }

    /** What the test itself sends is not noted. */
    private String unseen() {
        return url + "&options=-c%20auto_explain.log_min_duration=-1";
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(unseen());
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private long number(String sql) {
        try (Connection connection = DriverManager.getConnection(unseen());
                java.sql.Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** The tables, and the definitions of the code. */
    private void prepare(ExplainedServer server) {
        explained = server;
        url = server.server().databases().create("many");
        node("first").close();
        nodes.clear();
        execute(
                "CREATE FUNCTION test_id(kind int, i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$"
                        + " SELECT (lpad(to_hex(1700000000000 + kind * 10000000::bigint + i), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid $$");
    }

    private static final int SLEEPING = 1;
    private static final int STRANDED = 2;
    private static final int MARKED = 3;
    private static final int PAUSED = 4;
    private static final int CHILDREN = 5;
    private static final int ENDED = 6;
    private static final int GRAPHS = 7;
    private static final int BATCHES = 8;
    private static final int WRONG_CODE = 9;
    private static final int LONG_RUN = 10;
    private static final int HUNDREDS = 11;
    private static final int CHAIN = 12;
    private static final int FAILED = 13;
    private static final int FAILED_LONG_RUN = 14;
    private static final int JOBS = 20;

    /** Live runs with their drivers. Parameters: status, reason, events that they wait for, when they are due, and their parent. */
    private void runs(int kind, int from, int to, String workflow, String queue, String values) {
        String signature = "coalesce((SELECT d.signature FROM muster_workflow_definitions d WHERE d.name = '" + workflow
                + "'), repeat('0', 64))";
        execute("WITH v AS (SELECT test_id(" + kind + ", i) AS id, i, " + signature + " AS signature, " + values
                + " FROM generate_series(" + from + ", " + to + ") i),"
                + " run AS (INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, status,"
                + " resolution_reason, input, awaiting, wake_at, parent_run, parent_path, queue, capability, priority,"
                + " max_crashes, steps_from, created_at, changed_at)"
                + " SELECT id, '" + workflow + "', 'v1', signature, status, reason, 'null', awaiting, due, parent,"
                + " CASE WHEN parent IS NOT NULL THEN '0.' || i END, '" + queue
                + "', '', 50, 3, muster_clock(), muster_clock(), muster_clock() FROM v)"
                + " INSERT INTO muster_jobs (id, name, queue, capability, priority, rank, run_at, ready_at, args, max_crashes)"
                + " SELECT id, 'workflow:" + workflow + ":v1:' || left(signature, 8), '" + queue
                + "', '', 50, 50, d.at, d.at, 'null', 3 FROM v,"
                + " LATERAL (SELECT coalesce(v.due, '9999-01-01Z') AS at) d");
    }

    private static String values(String status, String reason, String awaiting, String due, String parent) {
        return "'" + status + "'::text AS status, " + reason + "::text AS reason, " + awaiting
                + "::text[] AS awaiting, " + due + "::timestamptz AS due, " + parent + "::uuid AS parent";
    }

    /**
     * @param size the steps of the longest run, and the runs of the longest chain
     * @param children the failed children of one run
     */
    private void fill(int many, int some, int size, int children) {
        String later = "(muster_clock() + interval '30 days')";
        runs(SLEEPING, 1, many, "sleep", "default", values("sleeping", "NULL", "NULL", later, "NULL"));
        runs(STRANDED, 1, many / 2, "gone", "elsewhere", values("waiting", "NULL", "'{paid}'", "NULL", "NULL"));
        runs(
                MARKED,
                1,
                many / 2,
                "lost",
                "elsewhere",
                values(
                        "blocked_missing_handler",
                        "'no live node has a workflow ''lost'''",
                        "'{paid}'",
                        "NULL",
                        "NULL"));
        runs(
                WRONG_CODE,
                1,
                some,
                "child",
                "elsewhere",
                values("blocked_signature_mismatch", "'step 0 was another one'", "NULL", later, "NULL"));
        execute("INSERT INTO muster_workflow_pauses VALUES ('paused', muster_clock())");
        runs(PAUSED, 1, some, "paused", "elsewhere", values("waiting", "NULL", "'{}'", "NULL", "NULL"));
        runs(CHILDREN, 0, 0, "parent", "default", values("waiting", "NULL", "'{never}'", "NULL", "NULL"));
        runs(
                CHILDREN,
                1,
                some,
                "child",
                "elsewhere",
                values("waiting", "NULL", "'{never}'", "NULL", "test_id(" + CHILDREN + ", 0)"));
        execute(
                "INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, status, input, queue,"
                        + " capability, priority, max_crashes, steps_from, created_at, changed_at, finished_at)"
                        + " SELECT test_id(" + ENDED
                        + ", i), 'sleep', 'v1', repeat('0', 64), 'completed', 'null', 'default', '', 50, 3,"
                        + " muster_clock(), muster_clock(), muster_clock(), muster_clock() - CASE WHEN i % 2 = 0"
                        + " THEN interval '8 days' ELSE interval '1 day' END FROM generate_series(1, " + many + ") i");
        graphs(some);
        batches(some);
        large(size, some, children);
        execute("INSERT INTO muster_workflow_definitions SELECT 'sleep', 'v0.' || i, md5(i::text) || md5(i::text),"
                + " 'deprecated', '{}', 'default', '', 50, 3, muster_clock() - interval '1 year', muster_clock()"
                + " FROM generate_series(1, " + some / 10 + ") i");
        execute("VACUUM ANALYZE");
    }

    /** Runs with many steps, events and children, and one that was continued very often. */
    private void large(int size, int some, int children) {
        String longAgo =
                "(date_trunc('day', muster_clock() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '10 days')";
        execute(
                "DO $$ DECLARE day date := (" + longAgo + " AT TIME ZONE 'UTC')::date; BEGIN"
                        + " EXECUTE format('CREATE TABLE %I PARTITION OF muster_workflow_steps FOR VALUES FROM (%L) TO (%L)',"
                        + " 'muster_workflow_steps_' || to_char(day, 'YYYYMMDD'), day || ' 00:00Z', day + 1 || ' 00:00Z'); END $$");
        String later = "(muster_clock() + interval '30 days')";
        runs(LONG_RUN, 1, 1, "go", "default", values("sleeping", "NULL", "NULL", later, "NULL"));
        runs(HUNDREDS, 1, some / 100, "go", "default", values("sleeping", "NULL", "NULL", later, "NULL"));
        execute("UPDATE muster_workflow_runs SET steps_from = " + longAgo + " WHERE id = test_id(" + LONG_RUN
                + ", 1) OR id IN (SELECT test_id(" + HUNDREDS + ", i) FROM generate_series(1, " + some / 100 + ") i)");
        steps("r.id = test_id(" + LONG_RUN + ", 1)", size);
        steps("r.id IN (SELECT test_id(" + HUNDREDS + ", i) FROM generate_series(1, " + some / 100 + ") i)", 100);
        events("test_id(" + LONG_RUN + ", 1), 'event-' || i", "NULL", size / 10);
        events("test_id(" + ENDED + ", 2), 'event-' || i", "NULL", size);
        events("test_id(" + ENDED + ", 2 * i), 'done'", "'0'", some / 2);

        ended(FAILED_LONG_RUN, 1, 1, "failed", "NULL", "'{0}'");
        steps("r.id = test_id(" + FAILED_LONG_RUN + ", 1)", size);
        events("test_id(" + FAILED_LONG_RUN + ", 1), 'event-' || i", "i::text", size / 10);

        ended(CHAIN, 1, size - 1, "completed", "NULL", "NULL");
        runs(CHAIN, size, size, "child", "elsewhere", values("waiting", "NULL", "'{never}'", "NULL", "NULL"));
        execute("UPDATE muster_workflow_runs r SET first_run = CASE WHEN i > 1 THEN test_id(" + CHAIN
                + ", 1) END, continued_as = CASE WHEN i < " + size + " THEN test_id(" + CHAIN
                + ", i + 1) END FROM generate_series(1, " + size + ") i WHERE r.id = test_id(" + CHAIN + ", i)");
        execute("INSERT INTO muster_workflow_chains VALUES (test_id(" + CHAIN + ", 1), test_id(" + CHAIN + ", " + size
                + "))");
        failedFamily(children);
    }

    private void failedFamily(int children) {
        String all = " FROM generate_series(1, " + children + ") i";
        ended(
                FAILED,
                0,
                0,
                "failed",
                "NULL",
                "(SELECT array_agg('0.' || n || '.0') FROM generate_series(1, " + children + ") n)");
        ended(FAILED, 1, children, "failed", "test_id(" + FAILED + ", 0)", "'{2}'");
        execute(
                "INSERT INTO muster_workflow_steps (run_id, path, steps_from, seq, token, attempt, stored_at, kind, status, name, result)"
                        + " SELECT r.id, '0.' || i || '.0', r.steps_from, i, 1, 1, muster_clock(), 'child', 'completed', 'child',"
                        + " jsonb_build_object('run', test_id(" + FAILED + ", i), 'status', 'failed')"
                        + " FROM muster_workflow_runs r, generate_series(1, " + children + ") i WHERE r.id = test_id("
                        + FAILED
                        + ", 0)");
        steps("r.parent_run = test_id(" + FAILED + ", 0)", 3);
        execute("INSERT INTO muster_workflow_events SELECT test_id(" + FAILED
                + ", 0), 'muster:child:0.' || i || '.0', 'muster:child:0.' || i || '.0', '{}', muster_clock(), '0.' || i || '.0'"
                + all);
    }

    private void steps(String of, int count) {
        execute(
                "INSERT INTO muster_workflow_steps (run_id, path, steps_from, seq, token, attempt, stored_at, kind, status, name, result)"
                        + " SELECT r.id, n::text, r.steps_from, n, 1, 1, muster_clock(), 'step', 'completed', 'count', '\"as always\"'"
                        + " FROM muster_workflow_runs r, generate_series(0, " + (count - 1) + ") n WHERE " + of);
    }

    /** @param key of an event, from its number i */
    private void events(String key, String takenBy, int count) {
        execute("INSERT INTO muster_workflow_events (run_id, event_id, name, payload, sent_at, taken_by) SELECT " + key
                + ", 'told', 'null', muster_clock(), " + takenBy + " FROM generate_series(1, " + count + ") i");
    }

    /** Runs that ended a day ago. */
    private void ended(int kind, int from, int to, String status, String parent, String failedSteps) {
        execute(
                "INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, status, input, queue,"
                        + " capability, priority, max_crashes, steps_from, parent_run, parent_path, failed_steps, created_at, changed_at,"
                        + " finished_at) SELECT test_id(" + kind + ", i), 'go', 'v1', repeat('0', 64), '" + status
                        + "', 'null', 'elsewhere', '', 50, 3, muster_clock(), " + parent + ", CASE WHEN " + parent
                        + " IS NOT NULL THEN '0.' || i || '.0' END, " + failedSteps
                        + "::text[], muster_clock(), muster_clock(), muster_clock() - interval '1 day'"
                        + " FROM generate_series(" + from + ", " + to + ") i");
    }

    private void graphs(int some) {
        execute("INSERT INTO muster_graphs (id, name, status, tasks, open_tasks, created_at, finished_at)"
                + " SELECT test_id(" + GRAPHS
                + ", i), 'graph', CASE WHEN i % 2 = 0 THEN 'completed' ELSE 'running' END, 2,"
                + " CASE WHEN i % 2 = 0 THEN 0 ELSE 2 END, muster_clock(), CASE WHEN i % 2 = 0 THEN muster_clock() - interval '8 days' END"
                + " FROM generate_series(1, " + 2 * some + ") i");
        execute(
                "INSERT INTO muster_graph_tasks (graph_id, number, job_id, parents_open, required_open, required_completed,"
                        + " priority, status, trigger, task_id, name, queue, capability, inputs, finished_at)"
                        + " SELECT test_id(" + GRAPHS + ", i), n, test_id(" + JOBS
                        + " + n, i), CASE WHEN i % 2 = 1 THEN n ELSE 0 END,"
                        + " CASE WHEN i % 2 = 1 THEN n ELSE 0 END, CASE WHEN i % 2 = 0 THEN n ELSE 0 END, 50,"
                        + " CASE WHEN i % 2 = 0 THEN 'completed' WHEN n = 0 THEN 'enqueued' ELSE 'waiting' END, 'all_success', 't' || n,"
                        + " 'task', 'elsewhere', '', 'null', CASE WHEN i % 2 = 0 THEN muster_clock() - interval '8 days' END"
                        + " FROM generate_series(1, " + 2 * some + ") i, generate_series(0, 1) n");
        execute("INSERT INTO muster_graph_edges SELECT test_id(" + GRAPHS + ", i), 0, 1, true FROM generate_series(1, "
                + 2 * some + ") i");
        jobs(JOBS, "NULL", "generate_series(1, " + 2 * some + ", 2)");
    }

    private void jobs(int kind, String batch, String numbers) {
        execute(
                "INSERT INTO muster_jobs (id, name, queue, capability, priority, rank, run_at, ready_at, args, batch_id)"
                        + " SELECT test_id(" + kind
                        + ", i), 'task', 'elsewhere', '', 50, 50, muster_clock(), muster_clock(), 'null', "
                        + batch + "::uuid FROM " + numbers + " i");
    }

    private void batches(int some) {
        execute("INSERT INTO muster_batches (id, name, condition, status, created_at, sealed_at, closed_at, completed)"
                + " SELECT test_id(" + BATCHES
                + ", i), 'batch', CASE WHEN i % 6 = 0 THEN 'any' ELSE 'all' END, s.status, muster_clock(),"
                + " CASE WHEN s.status <> 'open' THEN muster_clock() END,"
                + " CASE s.status WHEN 'succeeded' THEN muster_clock() - interval '8 days' END, 0"
                + " FROM generate_series(1, " + 3 * some + ") i,"
                + " LATERAL (SELECT (ARRAY['sealed', 'open', 'succeeded'])[i % 3 + 1] AS status) s");
        jobs(
                JOBS + 2,
                "test_id(" + BATCHES + ", i)",
                "(SELECT i FROM generate_series(1, " + 3 * some + ") i WHERE i % 3 < 2)");
    }

    private static JobId run(int kind, long i) {
        return JobId.of(id(kind, i));
    }

    private static String id(int kind, long i) {
        String time = "%012x".formatted(1_700_000_000_000L + kind * 10_000_000L + i);
        return time.substring(0, 8) + "-" + time.substring(8) + "-7000-8000-" + "%012x".formatted(i);
    }

    /** What operators and programs look at. */
    private static void read(Muster node, int some) {
        Workflows workflows = node.workflows();
        workflows.list(RunQuery.all());
        for (RunStatus status : RunStatus.values()) {
            workflows.list(RunQuery.all().status(status).limit(100));
            workflows.list(RunQuery.all().workflow("nobody").status(status).limit(100));
        }
        workflows.list(RunQuery.all().workflow("nobody").limit(100));
        workflows.list(RunQuery.all().workflow("sleep").version("v9").limit(100));
        workflows.list(
                RunQuery.all().status(RunStatus.FAILED, RunStatus.RUNNING).limit(1_000));
        workflows.list(RunQuery.all().before(run(SLEEPING, some / 2)).limit(1_000));
        workflows.countLive("sleep", "v1");
        workflows.countLive("gone", "v1");
        workflows.definitions();
        workflows.find(run(SLEEPING, 1));
        workflows.steps(run(SLEEPING, 1));
        node.overview();
        node.health();
        for (GraphStatus status : GraphStatus.values()) {
            node.graphs().list(GraphQuery.all().status(status).limit(100));
        }
        node.graphs().list(GraphQuery.all().name("nobody").limit(100));
        node.graphs().tree(GraphId.of(id(GRAPHS, 1)));
        for (BatchStatus status : BatchStatus.values()) {
            node.batches().list(BatchQuery.all().status(status));
        }
        node.batches().list(BatchQuery.all().name("nobody"));
        node.batches().find(BatchId.of(id(BATCHES, 3)));
    }

    /** Two nodes start and do all that leaders do, while an operator looks at everything and changes much. */
    private void live(int many, int some, int size, int children) {
        Muster node = node("a");
        node("b");
        await("marks")
                .atMost(LONG)
                .until(() -> number("SELECT count(*) FROM muster_workflow_runs WHERE workflow_name = 'gone'"
                                + " AND status = 'blocked_missing_handler'")
                        == many / 2);
        await("retention")
                .atMost(LONG)
                .until(() -> number("SELECT (SELECT count(*) FROM muster_workflow_runs WHERE finished_at"
                                + " < muster_clock() - interval '7 days') + (SELECT count(*) FROM muster_graphs WHERE finished_at"
                                + " < muster_clock() - interval '7 days') + (SELECT count(*) FROM muster_batches WHERE closed_at"
                                + " < muster_clock() - interval '7 days')")
                        == 0);
        await("woken")
                .atMost(LONG)
                .until(() -> number("SELECT count(*) FROM muster_workflow_runs r JOIN muster_jobs j USING (id)"
                                + " WHERE r.status = 'blocked_signature_mismatch' AND j.ready_at > muster_clock()")
                        == 0);
        await("step days")
                .atMost(LONG)
                .until(() -> number(
                                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'muster_workflow_steps'::regclass"
                                        + " AND to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') < (muster_clock() - interval '8 days')::date")
                        == 0);
        assertThat(nodes)
                .allSatisfy(each -> assertThat(each.health().ok())
                        .as(each.health().detail())
                        .isTrue());
        Workflows workflows = node.workflows();
        workflows.resume("paused");
        assertThat(
                        number(
                                "SELECT count(*) FROM muster_workflow_runs WHERE workflow_name = 'paused' AND status = 'pending'"))
                .isEqualTo(some);
        workflows.pause("paused");
        assertThat(workflows.cancel(run(CHILDREN, 0), "enough")).isTrue();
        assertThat(workflows.await(run(CHILDREN, 0), LONG).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(
                        number(
                                "SELECT count(*) FROM muster_workflow_runs WHERE workflow_name = 'child' AND parent_run IS NOT NULL AND cancel_requested"))
                .isEqualTo(some);
        assertThat(workflows.retire("gone", "v1", "gone for good")).isEqualTo(many / 2);
        assertThat(workflows.steps(run(LONG_RUN, 1))).hasSize(size);
        assertThat(workflows.steps(run(HUNDREDS, 1))).hasSize(100);
        assertThat(workflows.signal(run(LONG_RUN, 1), "told", "once", "event-new"))
                .isTrue();
        assertThat(workflows.signal(run(CHAIN, 1), "told", "once", "event-new")).isTrue();
        assertThat(workflows.signal(run(CHAIN, size / 2), "told", "once", "event-new"))
                .isFalse();
        assertThat(workflows.retry(run(FAILED_LONG_RUN, 1))).isTrue();
        assertThat(number("SELECT count(*) FROM muster_workflow_steps WHERE run_id = '" + id(FAILED_LONG_RUN, 1) + "'"))
                .isZero();
        assertThat(number("SELECT count(*) FROM muster_workflow_events WHERE taken_by IS NOT NULL AND run_id = '"
                        + id(FAILED_LONG_RUN, 1) + "'"))
                .isZero();
        assertThat(workflows.retry(run(FAILED, 0))).isTrue();
        assertThat(number("SELECT count(*) FROM muster_workflow_runs WHERE status = 'pending' AND (id = '"
                        + id(FAILED, 0) + "' OR parent_run = '" + id(FAILED, 0) + "')"))
                .isEqualTo(children + 1);
        node.graphs().cancel(GraphId.of(id(GRAPHS, 1)), "enough");
        node.graphs().retry(GraphId.of(id(GRAPHS, 1)));
        node.batches().cancel(BatchId.of(id(BATCHES, 3)));
        read(node, some);
    }

    private static String worst(Stream<Statement> statements, Predicate<Statement> tooMuch) {
        return statements
                .filter(statement -> OURS.matcher(statement.text()).find()
                        && !MOVES_A_RUN.matcher(statement.text()).find())
                .filter(tooMuch)
                .collect(Collectors.toMap(
                        Statement::text,
                        one -> one,
                        (one, other) -> one.millis() + one.pages() > other.millis() + other.pages() ? one : other))
                .values()
                .stream()
                .map(one -> "%.0f ms, %d pages, %d rows, %d written: %s%s"
                        .formatted(one.millis(), one.pages(), one.rows(), one.written(), one.text(), one.plan()))
                .collect(Collectors.joining("\n\n"));
    }

    @Test
    void noStatementVisitsMoreThanAWindow() {
        prepare(ExplainedServer.counting());
        fill(4_000, 1_500, 2_000, 300);
        long mark = explained.mark();

        live(4_000, 1_500, 2_000, 300);

        assertThat(worst(
                        explained.since(mark).stream(),
                        statement -> statement.pages() > MOST_PAGES
                                || statement.rows() > MOST_ROWS
                                || statement.written() > MOST_WRITTEN))
                .isEmpty();
    }

    @LongTest(
            twin = ManyRunsIT.class,
            test = "noStatementVisitsMoreThanAWindow",
            why = "200,000 live runs, 10,000 steps in one, and 200 ms")
    @Test
    void noStatementTakesLong() {
        prepare(ExplainedServer.timing(LIMIT_MS));
        fill(100_000, 20_000, 10_000, 999);
        long mark = explained.mark();

        live(100_000, 20_000, 10_000, 999);

        assertThat(worst(explained.since(mark).stream(), statement -> true)).isEmpty();
    }

    /** Two replicas with the right code start at once, and find runs that wrong code has blocked. */
    private void comeBack(int blocked) throws Exception {
        runs(
                WRONG_CODE,
                1,
                blocked,
                "go",
                "default",
                values(
                        "blocked_signature_mismatch",
                        "'step 0 was another one'",
                        "NULL",
                        "(muster_clock() + interval '30 days')",
                        "NULL"));
        execute("VACUUM ANALYZE");
        long start = System.nanoTime();
        List<CompletableFuture<Void>> starts = Stream.of("a", "b")
                .map(id -> CompletableFuture.runAsync(() -> node(id)))
                .toList();
        for (CompletableFuture<Void> each : starts) {
            each.get();
        }
        Measured.within(Duration.ofSeconds(10), since(start), "the start of both nodes");
        await("wake-ups")
                .atMost(LONG)
                .until(() -> number("SELECT count(*) FROM muster_jobs WHERE ready_at > muster_clock()") == 0);
        Measured.within(Duration.ofMinutes(1), since(start), "until all runs could continue");
        await("runs")
                .atMost(LONG)
                .until(() -> number("SELECT count(*) FROM muster_workflow_runs WHERE status <> 'completed'") == 0);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    @Test
    void blockedRunsGoOnAFewAtATimeWhenTwoReplicasStart() throws Exception {
        prepare(ExplainedServer.counting());
        long mark = explained.mark();

        comeBack(2_000);

        assertThat(worst(
                        explained.since(mark).stream(),
                        statement -> statement.rows() > MOST_ROWS || statement.written() > MOST_WRITTEN))
                .isEmpty();
    }

    @LongTest(
            twin = ManyRunsIT.class,
            test = "blockedRunsGoOnAFewAtATimeWhenTwoReplicasStart",
            why = "50,000 blocked runs, 10 s until both nodes are up, and a second for each statement")
    @Test
    void fiftyThousandBlockedRunsGoOnWhenTwoReplicasStart() throws Exception {
        prepare(ExplainedServer.timing(1_000));
        long mark = explained.mark();

        comeBack(50_000);

        assertThat(worst(explained.since(mark).stream(), statement -> true)).isEmpty();
    }
}
