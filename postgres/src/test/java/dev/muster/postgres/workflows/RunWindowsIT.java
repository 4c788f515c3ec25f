package dev.muster.postgres.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.RunDraft;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.EventStore;
import dev.muster.job.JobId;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.WatchedConnections;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowStore;
import dev.muster.workflow.WorkflowStore.Revived;
import dev.muster.workflow.WorkflowStore.Stranded;
import dev.muster.workflow.WorkflowStore.Window;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements that walk over all live runs, and runs that are deleted while others look for them. */
class RunWindowsIT {
    /** More than one window, and several times as many as one statement changes. */
    private static final int RUNS = 2_600;

    private static final int CHANGED_AT_ONCE = 500;

    private FreshDatabase database;
    private WorkflowStore runs;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        runs = database.store().port(WorkflowStore.class);
    }

    @AfterEach
    void close() {
        database.close();
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
