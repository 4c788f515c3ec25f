package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.RunDraft;
import dev.muster.event.Event.RunChanged;
import dev.muster.internal.event.EventStore;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.Revived;
import dev.muster.internal.workflow.WorkflowStore.Stranded;
import dev.muster.internal.workflow.WorkflowStore.Window;
import dev.muster.job.JobId;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements that walk over all live runs, and runs that are deleted while others look for them. */
class RunWindowsIT extends OnFreshDatabase {
    /** More than one window, and several times as many as one statement changes. */
    private static final int RUNS = 2_600;

    private static final int CHANGED_AT_ONCE = 500;

    private WorkflowStore runs;

    @BeforeEach
    void prepare() {
        runs = database.store().port(WorkflowStore.class);
    }

    /** Live runs, each with a driver. The rest of the columns: status, awaiting, parent_run. */
    private void insert(int count, String rest) {
        database.execute(
                "WITH run AS (INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, input, queue,"
                        + " capability, priority, max_crashes, steps_from, created_at, changed_at, status, awaiting, parent_run)"
                        + " SELECT gen_random_uuid(), 'a', 'v1', 's', 'null', 'default', '', 50, 3, muster_clock(), muster_clock(),"
                        + " muster_clock(), " + rest + " FROM generate_series(1, " + count + ") RETURNING id)"
                        + " INSERT INTO muster_jobs (id, name, queue, priority, rank, run_at, ready_at, args)"
                        + " SELECT id, 'workflow:a:v1:s', 'default', 50, 50, '9999-01-01Z', '9999-01-01Z', 'null' FROM run");
    }

    /** It must not end the events of everybody. */
    @Test
    void aRunWithAStatusOfANewerMusterIsAmongTheEvents() {
        insert(1, "'waiting', '{go}'::text[], NULL::uuid");
        database.execute("ALTER TABLE muster_workflow_runs DROP CONSTRAINT muster_workflow_runs_status_check;"
                + " UPDATE muster_workflow_runs SET status = 'frozen'");
        JobId run =
                JobId.of(database.column("SELECT id FROM muster_workflow_runs").get(0));

        assertThat(database.store().port(EventStore.class).runs(List.of(run)))
                .extracting(RunChanged::status)
                .containsExactly(RunStatus.UNKNOWN);
    }

    /** A run parks again and again. If a column that this writes stood in an index or in its condition, each time would write all indexes. */
    @Test
    void aRunThatParksTouchesNoIndex() throws SQLException {
        insert(5, "'pending', NULL::text[], NULL::uuid");
        try (Connection tx = database.transaction();
                var statement = tx.createStatement()) {
            statement.executeUpdate(
                    "UPDATE muster_workflow_runs SET status = 'waiting', awaiting = '{go}', wake_at = muster_clock(),"
                            + " resolution_reason = 'later', changed_at = muster_clock()");
            try (var rows = statement.executeQuery(
                    "SELECT pg_stat_get_xact_tuples_hot_updated('muster_workflow_runs'::regclass)")) {
                rows.next();
                assertThat(rows.getLong(1)).isEqualTo(5);
            }
        }
    }

    /** So that what went wrong is found fast however many runs have completed, or continue as others. */
    @Test
    void runsThatDidNotCompleteHaveAnIndexOfTheirOwn() {
        insert(5, "'pending', NULL::text[], NULL::uuid");
        database.execute("WITH n AS (SELECT id, row_number() OVER () AS i FROM muster_workflow_runs)"
                + " UPDATE muster_workflow_runs r SET finished_at = muster_clock(),"
                + " status = CASE WHEN i < 4 THEN 'completed' WHEN i = 4 THEN 'failed' ELSE 'cancelled_by_operator' END,"
                + " result = CASE WHEN i < 3 THEN 'null'::jsonb END, continued_as = CASE WHEN i = 3 THEN r.id END"
                + " FROM n WHERE n.id = r.id");
        database.execute("REINDEX INDEX muster_workflow_runs_unhappy");

        assertThat(database.number(
                        "SELECT reltuples::bigint FROM pg_class WHERE relname = 'muster_workflow_runs_unhappy'"))
                .isEqualTo(2);
    }

    private static long visited(Connection tx) throws SQLException {
        try (var query = tx.prepareStatement(
                        "SELECT sum(pg_stat_get_xact_tuples_fetched(c.oid)"
                                + " + pg_stat_get_xact_tuples_returned(c.oid)) FROM pg_class c WHERE c.relname LIKE 'muster_workflow_runs%'");
                var rows = query.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void aWalkThatMarksRunsWalksOverNoneTwice() throws SQLException {
        insert(RUNS, "'waiting', '{go}'::text[], NULL::uuid");
        List<Stranded> stranded = List.of(new Stranded("a", "v1", "s", RunStatus.BLOCKED_MISSING_HANDLER));

        List<Integer> changed = new ArrayList<>();
        List<Long> visited = new ArrayList<>();
        JobId after = null;
        do {
            try (Connection tx = database.transaction()) {
                long before = visited(tx);
                Window window = runs.markBlocked(tx, stranded, after);
                changed.add(window.changed());
                after = window.next();
                visited.add(visited(tx) - before);
                tx.commit();
            }
        } while (after != null);

        assertThat(changed).hasSize(6).allMatch(some -> some <= CHANGED_AT_ONCE);
        assertThat(changed.stream().mapToInt(Integer::intValue).sum()).isEqualTo(RUNS);
        assertThat(visited).as("no window walks over those before it").allMatch(some -> some < 2 * visited.get(0));
    }

    /** Each look changes a bounded number of runs, and the next one continues where it stopped, however many there are of each kind. */
    @Test
    void theLeaderWakesAndEndsWhatWasLeftBehindAFewAtATime() throws SQLException {
        database.execute(
                "INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, input, queue, capability,"
                        + " priority, max_crashes, steps_from, created_at, changed_at, status, finished_at) SELECT"
                        + " '00000000-0000-7000-8000-000000000001', 'a', 'v1', 's', 'null', 'default', '', 50, 3, c, c, c, 'failed', c"
                        + " FROM muster_clock() c");
        insert(700, "'waiting', '{}'::text[], NULL::uuid");
        insert(600, "'waiting', '{go}'::text[], '00000000-0000-7000-8000-000000000001'::uuid");

        int looks = 0;
        JobId after = null;
        boolean more;
        do {
            try (Connection tx = database.transaction()) {
                Revived revived = runs.revive(tx, after);
                after = revived.next();
                more = revived.more();
                tx.commit();
            }
            looks++;
        } while (after != null);

        assertThat(looks).isBetween(2, 4);
        assertThat(more).isFalse();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_runs WHERE status = 'pending'"))
                .isEqualTo(700);
        assertThat(database.number("SELECT count(*) FROM muster_workflow_runs WHERE cancel_requested"))
                .isEqualTo(600);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE ready_at <= muster_clock()"))
                .isEqualTo(1_300);
    }

    @Test
    void aListFindsWhatIsRareAmongMany() {
        runs.start(List.of(RunDraft.of("rare").run()));
        database.execute("UPDATE muster_workflow_runs SET id = '00000000-0000-7000-8000-000000000001'");
        insert(RUNS, "'waiting', '{go}'::text[], NULL::uuid");

        assertThat(runs.list(RunQuery.all()
                        .workflow("rare")
                        .status(RunStatus.PENDING)
                        .limit(10)))
                .hasSize(1);
        assertThat(runs.list(RunQuery.all().status(RunStatus.WAITING).limit(2_500)))
                .hasSize(2_500)
                .doesNotHaveDuplicates();
    }

    /** Retention deletes the run that holds the key between the statement that finds the key taken and the one that looks for its holder. */
    @Test
    void aKeyWhoseHolderIsForgottenMeanwhileStartsANewRun() {
        JobId old = runs.start(List.of(RunDraft.of("a").key("k").run())).ids().get(0);
        AtomicInteger deleted = new AtomicInteger();
        try (PostgresStore store = new PostgresStore(
                WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
                    if (text.contains("JOIN public.muster_workflow_runs r ON r.workflow_name = k.name")
                            && deleted.incrementAndGet() == 1) {
                        database.execute("DELETE FROM muster_workflow_runs");
                    }
                }),
                MusterConfig.defaults())) {
            JobId started = store.port(WorkflowStore.class)
                    .start(List.of(RunDraft.of("a").key("k").run()))
                    .ids()
                    .get(0);

            assertThat(deleted).hasValue(1);
            assertThat(started).isNotEqualTo(old);
            assertThat(runs.find(started)).isPresent();
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + started + "'"))
                    .isEqualTo(1);
        }
    }
}
