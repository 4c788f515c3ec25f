package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The generic plans of the hot statements: the index each one relies on, whatever the statistics say. */
class HotStatementsIT extends OnFreshDatabase {
    /** A walk over all jobs, which looks at each. */
    private static final Pattern JOB_BY_FILTER =
            Pattern.compile("Scan (using muster_jobs_pkey )?on muster_jobs\\b[^\\n]*\\n\\s+Filter:");

    /** An index scan that is not followed by its condition walks the whole index. Of pauses there are few. */
    private static final Pattern WHOLE_INDEX = Pattern.compile(
            "(?s).*Index (Only )?Scan (Backward )?using muster_(jobs_pkey|job_dependencies_\\w+|workflow_(?!pauses)\\w+)[^\\n]*\\n(?!\\s*Index Cond).*");

    private static final Pattern WHOLE_INDEX_OF_GROUPS = Pattern.compile(
            "(?s).*Index (Only )?Scan (Backward )?using muster_(jobs|concurrency_groups|concurrency_tokens)_[^\\n]*\\n(?!\\s*Index Cond).*");
    private static final Pattern SCAN_OF_GROUP =
            Pattern.compile("Scan (Backward )?using muster_jobs_concurrency_group");
    private static final Pattern FLOOR_OF_GROUP = Pattern.compile(SCAN_OF_GROUP
            + "[^\\n]*\\n\\s*Index Cond: \\(\\(concurrency_group = [^\\n]*\\((ready_at >=|group_position >=?) ");

    private static final List<String> STATISTICS = List.of("empty", "huge", "never analyzed", "one row", "ten rows");

    static Stream<Arguments> statements() {
        return Stream.of(
                Arguments.of("jobs/claim", "Index Scan using muster_jobs_ready", "Tid Scan on muster_jobs"),
                Arguments.of(
                        "jobs/queue_room", "Index Scan using muster_claims_queue", "Index Scan using muster_jobs_pkey"),
                Arguments.of("jobs/claim_limited", "Index Scan using muster_jobs_ready", "Tid Scan on muster_jobs"),
                Arguments.of("jobs/finish", "Index Scan using muster_jobs_pkey", "ProjectSet"),
                Arguments.of("jobs/finish_by_ctid", "Tid Scan on muster_jobs", "ProjectSet"),
                Arguments.of("jobs/requeue", "Index Scan using muster_jobs_pkey", "Function Scan on"),
                Arguments.of("jobs/renew", "Index Scan using muster_jobs_pkey", "LockRows"),
                Arguments.of("jobs/mark_running", "Index Scan using muster_jobs_pkey", "LockRows"),
                Arguments.of("jobs/progress", "Index Scan using muster_jobs_pkey", "LockRows"),
                Arguments.of("jobs/expire", "muster_jobs_expiry", "Index Scan using muster_jobs_pkey"),
                Arguments.of("jobs/resolve", "Index Scan using muster_jobs_waiting", "CTE doomed"),
                Arguments.of("jobs/resolve", "(parent = (hashed SubPlan", "Index Cond: (id = ANY (ARRAY[doomed"),
                Arguments.of("jobs/overdue_waiting", "using muster_jobs_waiting", "muster_jobs_pkey"),
                Arguments.of("jobs/depend", "muster_jobs_pkey", "CTE edge"),
                Arguments.of("graphs/source", "muster_graph_tasks_job", "muster_graph_tasks_pkey"),
                Arguments.of("graphs/missed", "muster_graph_tasks_enqueued", "muster_jobs_pkey"),
                Arguments.of("jobs/current_claims", "Index Scan using muster_jobs_pkey", "Function Scan on"),
                Arguments.of("jobs/accepted_earlier", "_id_idx", "Function Scan on"),
                Arguments.of("jobs/overdue_claims", "Index Scan using muster_claims_lease", "LockRows"),
                Arguments.of(
                        "jobs/requeue_expired",
                        "Index Scan using muster_claims_pkey",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "jobs/requeue_of_node",
                        "Index Scan using muster_claims_lease",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "jobs/requeue_unknown",
                        "Index Scan using muster_claims_pkey",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "jobs/delete_notes", "((node_id = $3) AND (number = o.number))", "Tid Scan on muster_claims"),
                Arguments.of("jobs/note_expired_claims", "Tid Range Scan on muster_jobs", "Insert on muster_claims"),
                Arguments.of("jobs/lanes", "Index Scan using muster_jobs_ready", "Recursive Union"),
                Arguments.of("jobs/waited_long", "Index Scan using muster_jobs_ready", "Recursive Union"),
                Arguments.of(
                        "jobs/lift", "AND (ready_at <= lane_1.until) AND (ready_at >= CASE", "Tid Scan on muster_jobs"),
                Arguments.of(
                        "admission/due",
                        "Index Cond: ((ROW(group_position, concurrency_group) > ROW(",
                        "muster_concurrency_groups_pkey"),
                Arguments.of("jobs/next_due", "using muster_jobs_ready", "Function Scan on"),
                Arguments.of(
                        "workflows/load_run",
                        "Index Scan using muster_workflow_runs_pkey",
                        "muster_workflow_pauses_pkey"),
                Arguments.of(
                        "workflows/load_new_runs",
                        "Index Scan using muster_workflow_runs_pkey",
                        "AND (steps_from = r.steps_from)"),
                Arguments.of("workflows/load_steps", "Index Cond: (id = $2)", "(steps_from = (InitPlan 1).col1)"),
                Arguments.of("workflows/stored_step", "Index Cond: (id = $2)", "using muster_jobs_pkey"),
                Arguments.of(
                        "workflows/save_new_steps",
                        "Index Scan using muster_workflow_runs_pkey",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "workflows/save_steps",
                        "Index Scan using muster_workflow_runs_pkey",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "batches/due",
                        "Index Scan Backward using muster_jobs_batch",
                        "Index Scan using muster_batches_sealed"),
                Arguments.of("batches/hold", "Index Scan using muster_batches_pkey", "LockRows"),
                Arguments.of("workflows/lock_runs", "Index Cond: (id = ANY ((InitPlan 1).col1))", "LockRows"),
                Arguments.of("workflows/park", "Index Cond: (id = ANY (ARRAY[o", "Index Scan using muster_jobs_pkey"),
                Arguments.of(
                        "workflows/load_steps_of_runs",
                        "Index Scan using muster_workflow_runs_pkey",
                        "AND (steps_from = "),
                Arguments.of(
                        "workflows/end_alone",
                        "Index Scan using muster_workflow_runs_pkey",
                        "Index Scan using muster_jobs_pkey"),
                Arguments.of("workflows/end", "Index Cond: (id = ANY (ARRAY[o", "Index Scan using muster_jobs_pkey"),
                Arguments.of("events/watched", "Index Scan using muster_jobs_pkey", "_id_idx"),
                Arguments.of("events/runs", "Index Scan using muster_workflow_runs_pkey", "muster_jobs_pkey"),
                Arguments.of(
                        "events/recent_runs",
                        "Index Scan Backward using muster_workflow_runs_pkey",
                        "Backward using muster_workflow_runs_ended"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void genericPlansUseTheirIndex(String statement, String expected, String alsoExpected) throws SQLException {
        for (String statistics : STATISTICS) {
            plant(statistics);
            // A sequence is one row, without an index.
            String plan = genericPlan(statement).replace("Seq Scan on muster_job_token_seq", "Sequence");
            assertThat(plan)
                    .as(statement + " with " + statistics + " statistics")
                    .contains(expected)
                    .contains(alsoExpected)
                    .doesNotContain("Seq Scan")
                    .doesNotContain("Hash Join")
                    .doesNotContain("Merge Join")
                    .doesNotMatch(WHOLE_INDEX);
        }
    }

    private void plant(String statistics) {
        switch (statistics) {
            case "empty" ->
                database.execute(
                        "UPDATE pg_class SET reltuples = 0, relpages = 0 WHERE relname ~ '^muster_(job|claims|workflow|batch|concurrency)'");
            case "huge" ->
                database.execute(
                        "UPDATE pg_class SET reltuples = 10000000, relpages = 500000 WHERE relname ~ '^muster_(job|claims|workflow|batch|concurrency)'");
            case "one row" ->
                database.execute(
                        "UPDATE pg_class SET reltuples = 1, relpages = 100 WHERE relname ~ '^muster_(job|claims|workflow|batch|concurrency)'");
            case "ten rows" ->
                database.execute(
                        "UPDATE pg_class SET reltuples = 10, relpages = 10000 WHERE relname ~ '^muster_(job|claims|workflow|batch|concurrency)'");
            default ->
                database.execute(
                        "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname ~ '^muster_(job|claims|workflow|batch|concurrency)'");
        }
    }

    private String genericPlan(String name) throws SQLException {
        SqlFiles files = new SqlFiles("public");
        int[] number = {0};
        String text = files.get(name)
                .chars()
                .collect(
                        StringBuilder::new,
                        (out, c) -> {
                            if (c == '?') {
                                out.append('$').append(++number[0]);
                            } else {
                                out.append((char) c);
                            }
                        },
                        StringBuilder::append)
                .toString();
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(files.get("jobs/preamble"));
            statement.execute("SELECT set_config('muster.locked_runs', '{}', true)");
            statement.execute(
                    "SELECT set_config('muster.locked_queue', 'scarce', true), set_config('muster.room', '1', true)");
            statement.execute("PREPARE hot AS " + text);
            StringBuilder plan = new StringBuilder();
            String nulls = "NULL" + ", NULL".repeat(Math.max(0, number[0] - 1));
            ResultSet rows = statement.executeQuery("EXPLAIN EXECUTE hot" + (number[0] == 0 ? "" : "(" + nulls + ")"));
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            statement.execute("DEALLOCATE hot");
            connection.rollback();
            return plan.toString();
        }
    }

    /** The server reports the plans of the statements within the function, as the function makes them. */
    private List<String> plansWithin(String call) throws SQLException {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute("LOAD 'auto_explain'");
            statement.execute("SET LOCAL auto_explain.log_nested_statements = on");
            statement.execute("SET LOCAL auto_explain.log_level = notice");
            statement.execute("SET LOCAL auto_explain.log_min_duration = 0");
            statement.execute(call);
            List<String> plans = new ArrayList<>();
            for (SQLWarning report = statement.getWarnings(); report != null; report = report.getNextWarning()) {
                plans.add(report.getMessage());
            }
            connection.rollback();
            return plans;
        }
    }

    @Test
    void anAdmissionBeginsAtTheFloorsOfItsGroup() throws SQLException {
        for (String statistics : STATISTICS) {
            plant(statistics);
            assertThat(beginsAtFloors("SELECT * FROM muster_admit(ARRAY['key/a/acme'], false)", statistics))
                    .as("locks, counts and admits, raises floors")
                    .isGreaterThanOrEqualTo(5);
        }
    }

    /** Moves what is due, too. */
    @Test
    void anAdmissionAfterAStepOfTheClockBeginsAtTheClock() throws SQLException {
        database.execute("INSERT INTO muster_concurrency_groups (concurrency_group, used_at, floors_at)"
                + " VALUES ('key/a/acme', now(), muster_clock() + interval '1 hour')");
        for (String statistics : STATISTICS) {
            plant(statistics);
            assertThat(beginsAtFloors("SELECT * FROM muster_admit(ARRAY['key/a/acme'], false)", statistics))
                    .isGreaterThanOrEqualTo(6);
        }
    }

    /** Only what lies ahead of the clock is looked at. */
    @Test
    void aPositionInAnOrderedGroupIsFoundAlongItsIndex() throws SQLException {
        for (String statistics : STATISTICS) {
            plant(statistics);
            assertThat(beginsAtFloors("SELECT muster_position_in_group('fifo/acme')", statistics))
                    .isOne();
        }
    }

    /** How many scans of a group's jobs the call makes, all of which begin at a floor. */
    private long beginsAtFloors(String call, String statistics) throws SQLException {
        String all = String.join("\n", plansWithin(call));
        assertThat(all)
                .as("with " + statistics + " statistics")
                .doesNotContain("Seq Scan")
                .doesNotContain("Hash Join")
                .doesNotContain("Merge Join")
                .doesNotContain("using muster_jobs_ready")
                .doesNotContain("using muster_jobs_due_for_admission")
                .doesNotMatch(WHOLE_INDEX_OF_GROUPS);
        long scans = SCAN_OF_GROUP.matcher(all).results().count();
        assertThat(FLOOR_OF_GROUP.matcher(all).results().count())
                .as("scans that begin at a floor with %s statistics: %s", statistics, all)
                .isEqualTo(scans);
        return scans;
    }

    @Test
    void theClaimLocksInsideItsLimit() throws SQLException {
        String plan = genericPlan("jobs/claim");
        assertThat(plan.indexOf("Limit")).isLessThan(plan.indexOf("LockRows"));
        assertThat(plan).contains("CTE picked").contains("InitPlan");
    }

    @Test
    void aBacklogIsNotReadToSeeWhetherAnythingWaits() throws SQLException {
        plant("huge");
        assertThat(genericPlan("jobs/first_waiting"))
                .contains("muster_jobs_waiting", "muster_graphs_live")
                .doesNotContain("Seq Scan");
    }

    /** Each job that is enqueued over HTTP is explained in the answer. Claims come and go, so the planner expects more of them than there are. */
    @Test
    void whyAJobIsNotRunningIsFoundWithoutAWalkOverAllJobs() throws SQLException {
        plant("huge");
        for (String claims : List.of("reltuples = 10, relpages = 10000", "reltuples = 10000000, relpages = 500000")) {
            database.execute("UPDATE pg_class SET " + claims + " WHERE relname ~ '^muster_claims'");
            database.execute("UPDATE pg_class SET reltuples = 100000, relpages = 2000 WHERE relname ~ '^muster_jobs'");
            for (String statement : List.of("jobs/why_not_claimed", "jobs/why_not_due")) {
                String plan = genericPlan(statement);
                assertThat(JOB_BY_FILTER.matcher(plan).find()).as(plan).isFalse();
            }
        }
    }
}
