package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.workflow.RunStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Runs that a node executes, a session that parks them, and another session that interferes. Each statement is one of Muster's own. */
abstract class RunRaces {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    FreshDatabase database;
    PostgresStore store;
    WorkflowStore runs;
    Connection parking;
    Connection other;
    int parkingPid;
    int otherPid;

    @BeforeEach
    void open() throws SQLException {
        database = new FreshDatabase();
        store = database.store();
        runs = store.port(WorkflowStore.class);
        parking = database.transaction();
        other = database.transaction();
        parkingPid = pid(parking);
        otherPid = pid(other);
    }

    @AfterEach
    void close() throws SQLException {
        threads.shutdownNow();
        parking.close();
        other.close();
        database.close();
    }

    private static int pid(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT pg_backend_pid()");
                ResultSet rows = query.executeQuery()) {
            rows.next();
            int pid = rows.getInt(1);
            connection.rollback();
            return pid;
        }
    }

    /** Runs that a node executes at the moment. */
    List<ClaimRef> executing(int count) {
        List<NewRun> drafts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            drafts.add(RunDraft.of("wait").run());
        }
        runs.start(drafts);
        return claimDue(count);
    }

    List<ClaimRef> claimDue(int most) {
        ClaimSession session = store.claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, LEASE));
        return session.exchange(List.of(), most).claimed().stream()
                .map(ClaimedJob::claim)
                .toList();
    }

    static Parked waits(ClaimRef claim) {
        return new Parked(claim, RunStatus.WAITING, null, Set.of("go"), null, false);
    }

    /** Parks a run as nodes do: while somebody else has locked it, again and again. */
    void park(ClaimRef claim) {
        ClaimSession session = store.claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, LEASE));
        Exchange exchange;
        do {
            exchange = session.exchange(List.of(waits(claim)), 0);
        } while (!exchange.deferred().isEmpty());
        assertThat(exchange.rejected()).isEmpty();
    }

    /** The first statement of a park. It locks the run, or leaves it for later if somebody else has. */
    void lockToPark(ClaimRef claim) throws SQLException {
        try (PreparedStatement lock = parking.prepareStatement(new SqlFiles("public").get("workflows/lock_runs"))) {
            lock.setArray(
                    1, parking.createArrayOf("uuid", new Object[] {claim.id().value()}));
            lock.setArray(2, parking.createArrayOf("uuid", new Object[0]));
            lock.executeQuery().close();
        }
    }

    /** The second statement of a park that waits for the event "go"; false if it was left for later. */
    boolean writePark(ClaimRef claim) throws SQLException {
        return writePark(claim, "go", false);
    }

    /** The second statement of a park because of a pause. */
    boolean writePause(ClaimRef claim) throws SQLException {
        return writePark(claim, "", true);
    }

    private boolean writePark(ClaimRef claim, String event, boolean pausing) throws SQLException {
        try (PreparedStatement park = parking.prepareStatement(new SqlFiles("public").get("workflows/park"))) {
            park.setArray(
                    1, parking.createArrayOf("uuid", new Object[] {claim.id().value()}));
            park.setArray(2, parking.createArrayOf("bigint", new Object[] {claim.token()}));
            park.setArray(3, parking.createArrayOf("text", new Object[] {"waiting"}));
            park.setArray(4, parking.createArrayOf("timestamptz", new Object[] {null}));
            park.setArray(5, parking.createArrayOf("text", new Object[] {event}));
            park.setArray(6, parking.createArrayOf("text", new Object[] {null}));
            park.setArray(7, parking.createArrayOf("boolean", new Object[] {pausing}));
            park.setArray(8, parking.createArrayOf("boolean", new Object[] {false}));
            try (ResultSet rows = park.executeQuery()) {
                return rows.next();
            }
        }
    }

    RunClaim held(ClaimRef claim) {
        return new RunClaim(claim, runs.load(claim).orElseThrow().timeline());
    }

    SavedStep await(ClaimRef claim, String path, Duration timeout) {
        return runs.awaitEvent(held(claim), RunDraft.waiting(path, "go"), "go", timeout, "n1");
    }

    <T> Future<T> begin(Callable<T> work) {
        return threads.submit(work);
    }

    static <T> T end(Future<T> work) throws Exception {
        return work.get(5, TimeUnit.MINUTES);
    }

    /** Waits until this session waits for a lock that another holds. */
    void awaitBlocked(int pid) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (database.number("SELECT cardinality(pg_blocking_pids(" + pid + "))") == 0) {
            assertThat(System.nanoTime() - deadline).as("is not blocked").isNegative();
        }
    }

    boolean due(JobId run) {
        return database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + run
                        + "' AND token IS NULL AND ready_at <= muster_clock()")
                == 1;
    }

    /** Waits until some session waits for a lock that this one holds. */
    void awaitBlockedBy(int pid) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND " + pid + " = ANY (pg_blocking_pids(pid))")
                == 0) {
            assertThat(System.nanoTime() - deadline).as("nobody is blocked").isNegative();
        }
    }
}
