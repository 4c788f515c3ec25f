package dev.muster.postgres.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.RunDraft;
import dev.muster.job.JobId;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.db.SqlFiles;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowStore;
import dev.muster.workflow.WorkflowStore.NewRun;
import dev.muster.workflow.WorkflowStore.Parked;
import dev.muster.workflow.WorkflowStore.SavedStep;
import dev.muster.workflow.WorkflowStore.StepState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A run parks while an event is sent to it, or while its time runs out: with a transaction held open between its look and its write, in
 * both orders, and with threads that run freely. No event is lost, and each is taken by one wait.
 */
class ParkAndSignalIT {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int EACH_ORDER = 500;
    private static final int FREE = 1_000;

    /** A test holds this advisory lock to stop a signal between the lock of the run's row and the write of the event. */
    private static final int GATE = 4711;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private FreshDatabase database;
    private PostgresStore store;
    private WorkflowStore runs;
    private Connection parking;
    private Connection sending;
    private int parkingPid;
    private int sendingPid;

    @BeforeEach
    void open() throws SQLException {
        database = new FreshDatabase();
        store = database.store();
        runs = store.port(WorkflowStore.class);
        parking = database.transaction();
        sending = database.transaction();
        parkingPid = pid(parking);
        sendingPid = pid(sending);
    }

    @AfterEach
    void close() throws SQLException {
        threads.shutdownNow();
        parking.close();
        sending.close();
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
    private List<ClaimRef> executing(int count) {
        List<NewRun> drafts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            drafts.add(RunDraft.of("wait").run());
        }
        runs.start(drafts);
        return claimDue(count);
    }

    private List<ClaimRef> claimDue(int most) {
        ClaimSession session = store.claims().openClaims(new ClaimScope("n1", null, Set.of(), null, LEASE));
        return session.exchange(List.of(), most).claimed().stream()
                .map(ClaimedJob::claim)
                .toList();
    }

    private static Parked waits(ClaimRef claim) {
        return new Parked(claim, RunStatus.WAITING, null, Set.of("go"), null, false);
    }

    private void park(ClaimRef claim) {
        ClaimSession session = store.claims().openClaims(new ClaimScope("n1", null, Set.of(), null, LEASE));
        assertThat(session.exchange(List.of(waits(claim)), 0).rejected()).isEmpty();
    }

    /** The first statement of a park. */
    private void lockToPark(ClaimRef claim) throws SQLException {
        try (PreparedStatement lock = parking.prepareStatement(new SqlFiles("public").get("workflows/lock_runs"))) {
            lock.setArray(
                    1, parking.createArrayOf("uuid", new Object[] {claim.id().value()}));
            lock.setArray(2, parking.createArrayOf("uuid", new Object[0]));
            lock.executeQuery();
        }
    }

    /** The second statement of a park. */
    private void writePark(ClaimRef claim) throws SQLException {
        try (PreparedStatement park = parking.prepareStatement(new SqlFiles("public").get("workflows/park"))) {
            park.setArray(
                    1, parking.createArrayOf("uuid", new Object[] {claim.id().value()}));
            park.setArray(2, parking.createArrayOf("bigint", new Object[] {claim.token()}));
            park.setArray(3, parking.createArrayOf("text", new Object[] {"waiting"}));
            park.setArray(4, parking.createArrayOf("timestamptz", new Object[] {null}));
            park.setArray(5, parking.createArrayOf("text", new Object[] {"go"}));
            park.setArray(6, parking.createArrayOf("text", new Object[] {null}));
            try (ResultSet rows = park.executeQuery()) {
                assertThat(rows.next()).as("parked").isTrue();
            }
        }
    }

    private boolean signalInTransaction(JobId run) throws SQLException {
        try (PreparedStatement signal = sending.prepareStatement(new SqlFiles("public").get("workflows/signal"))) {
            signal.setObject(1, run.value());
            signal.setString(2, "event");
            signal.setString(3, "go");
            signal.setString(4, "\"now\"");
            try (ResultSet rows = signal.executeQuery()) {
                rows.next();
                return rows.getString("lane_queue") != null;
            }
        }
    }

    private SavedStep await(ClaimRef claim, String path, Duration timeout) {
        return runs.awaitEvent(claim, RunDraft.waiting(path, "go"), "go", timeout, "n1");
    }

    private <T> Future<T> begin(Callable<T> work) {
        return threads.submit(work);
    }

    private static <T> T end(Future<T> work) throws Exception {
        return work.get(60, TimeUnit.SECONDS);
    }

    /** Waits until this session waits for a lock that another holds. */
    private void awaitBlocked(int pid) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (database.number("SELECT cardinality(pg_blocking_pids(" + pid + "))") == 0) {
            assertThat(System.nanoTime() - deadline).as("is not blocked").isNegative();
        }
    }

    private boolean due(JobId run) {
        return database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + run
                        + "' AND token IS NULL AND ready_at <= muster_clock()")
                == 1;
    }

    /** Every run has its event: the wait takes it, and no later wait takes it again. */
    private void assertEachTakenOnce(int expected) {
        List<ClaimRef> woken = new ArrayList<>(claimDue(expected));
        while (woken.size() < expected) {
            List<ClaimRef> more = claimDue(expected);
            assertThat(more).as("runs that are due, after %s", woken.size()).isNotEmpty();
            woken.addAll(more);
        }
        assertThat(woken).hasSize(expected);
        for (ClaimRef claim : woken) {
            assertThat(await(claim, "0", null).row().state()).isEqualTo(StepState.COMPLETED);
            assertThat(await(claim, "0", null).row().result()).isEqualTo("\"now\"");
            assertThat(await(claim, "1", null).row().state()).isEqualTo(StepState.WAITING);
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '0'"))
                .isEqualTo(expected);
    }

    @Test
    void anEventThatComesBetweenTheLookAndTheWriteOfAParkWakesTheRun() throws Exception {
        for (ClaimRef claim : executing(EACH_ORDER)) {
            lockToPark(claim);
            Future<Boolean> signal = begin(() -> signalInTransaction(claim.id()));
            awaitBlocked(sendingPid);
            writePark(claim);
            parking.commit();

            assertThat(end(signal)).as("the signal found the driver parked").isTrue();
            sending.commit();
            assertThat(due(claim.id())).isTrue();
        }
        assertEachTakenOnce(EACH_ORDER);
    }

    @Test
    void aParkThatComesBetweenTheLookAndTheWriteOfASignalIsDueAtOnce() throws Exception {
        database.execute("CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_advisory_xact_lock_shared(" + GATE + "); RETURN NEW; END'");
        database.execute("CREATE TRIGGER gate BEFORE INSERT ON muster_workflow_events FOR EACH ROW EXECUTE FUNCTION"
                + " gate()");
        List<ClaimRef> claims = executing(EACH_ORDER);
        try (Connection gate = database.transaction();
                PreparedStatement shut = gate.prepareStatement("SELECT pg_advisory_xact_lock(" + GATE + ")")) {
            for (ClaimRef claim : claims) {
                shut.executeQuery().close();
                Future<Boolean> signal = begin(() -> signalInTransaction(claim.id()));
                awaitBlocked(sendingPid);
                Future<?> lock = begin(() -> {
                    lockToPark(claim);
                    return null;
                });
                awaitBlocked(parkingPid);
                gate.rollback();
                assertThat(end(signal))
                        .as("the signal found the driver claimed")
                        .isFalse();
                sending.commit();

                end(lock);
                writePark(claim);
                parking.commit();
                assertThat(due(claim.id())).isTrue();
            }
        }
        assertEachTakenOnce(EACH_ORDER);
    }

    /** The event is sent before, while or after the run parks, as it happens. */
    @Test
    void withThreadsThatRunFreelyNoEventIsLostAndEachIsTakenOnce() throws Exception {
        List<ClaimRef> claims = executing(FREE);
        atOnce(FREE, i -> park(claims.get(i)), i -> runs.signal(claims.get(i).id(), "event", "go", "\"now\""));

        assertEachTakenOnce(FREE);
    }

    /** The wait begins, sees whether there is an event, and parks; the event is sent before, during or after that. */
    @Test
    void anEventIsTakenOnceWhetherItComesBeforeDuringOrAfterTheWait() throws Exception {
        List<ClaimRef> claims = executing(FREE);
        Set<JobId> taken = Collections.synchronizedSet(new HashSet<>());
        atOnce(
                FREE,
                i -> {
                    ClaimRef claim = claims.get(i);
                    if (await(claim, "0", null).row().state() == StepState.COMPLETED) {
                        taken.add(claim.id());
                    } else {
                        park(claim);
                    }
                },
                i -> runs.signal(claims.get(i).id(), "event", "go", "\"now\""));

        List<ClaimRef> woken = claimDue(FREE);
        assertThat(woken).hasSize(FREE - taken.size()).noneMatch(claim -> taken.contains(claim.id()));
        woken.forEach(claim -> assertThat(await(claim, "0", null).row().state()).isEqualTo(StepState.COMPLETED));
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '0'"))
                .isEqualTo(FREE);
    }

    @Test
    void anEventAtTheMomentOfTheTimeoutLeadsToOneOutcome() throws Exception {
        List<ClaimRef> claims = executing(FREE);
        List<StepState> states = new ArrayList<>(Collections.nCopies(FREE, StepState.WAITING));
        atOnce(
                FREE,
                i -> states.set(
                        i, await(claims.get(i), "0", Duration.ZERO).row().state()),
                i -> runs.signal(claims.get(i).id(), "event", "go", "\"now\""));

        for (int i = 0; i < FREE; i++) {
            ClaimRef claim = claims.get(i);
            assertThat(states.get(i)).isIn(StepState.COMPLETED, StepState.TIMED_OUT);
            assertThat(await(claim, "0", Duration.ZERO).row().state()).isEqualTo(states.get(i));
            boolean first = states.get(i) == StepState.COMPLETED;
            assertThat(await(claim, "1", Duration.ZERO).row().state())
                    .as("the next wait has the event if the first one has not")
                    .isEqualTo(first ? StepState.TIMED_OUT : StepState.COMPLETED);
        }
        assertThat(database.column("SELECT DISTINCT taken_by FROM muster_workflow_events ORDER BY 1"))
                .as("both orders have happened")
                .containsExactly("0", "1");
    }

    @Test
    void anEventThatIsBeingSentWhenTheTimeIsOverIsTaken() throws Exception {
        for (ClaimRef claim : executing(EACH_ORDER)) {
            assertThat(signalInTransaction(claim.id())).isFalse();
            Future<SavedStep> wait = begin(() -> await(claim, "0", Duration.ZERO));
            awaitBlockedBy(sendingPid);
            sending.commit();
            assertThat(end(wait).row().state()).isEqualTo(StepState.COMPLETED);
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '0'"))
                .isEqualTo(EACH_ORDER);
    }

    @Test
    void anEventThatComesWhileTheTimeoutIsStoredIsLeftForTheNextWait() throws Exception {
        for (ClaimRef claim : executing(EACH_ORDER)) {
            assertThat(awaitInTransaction(claim)).isEqualTo("timed_out");
            Future<Boolean> signal = begin(() -> signalInTransaction(claim.id()));
            awaitBlocked(sendingPid);
            parking.commit();
            end(signal);
            sending.commit();
            assertThat(await(claim, "0", Duration.ZERO).row().state()).isEqualTo(StepState.TIMED_OUT);
            assertThat(await(claim, "1", Duration.ZERO).row().state()).isEqualTo(StepState.COMPLETED);
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '1'"))
                .isEqualTo(EACH_ORDER);
    }

    /** A wait whose time is over at once. */
    private String awaitInTransaction(ClaimRef claim) throws SQLException {
        try (PreparedStatement wait = parking.prepareStatement(new SqlFiles("public").get("workflows/await_event"))) {
            wait.setObject(1, claim.id().value());
            wait.setLong(2, claim.token());
            wait.setString(3, "0");
            wait.setString(4, "go");
            wait.setString(5, "event");
            wait.setString(6, "go");
            wait.setLong(7, 0);
            wait.setString(8, "n1");
            try (ResultSet rows = wait.executeQuery()) {
                rows.next();
                return rows.getString("step_status");
            }
        }
    }

    /** Waits until some session waits for a lock that this one holds. */
    private void awaitBlockedBy(int pid) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND " + pid + " = ANY (pg_blocking_pids(pid))")
                == 0) {
            assertThat(System.nanoTime() - deadline).as("nobody is blocked").isNegative();
        }
    }

    /** What one of two racers does in its i-th turn. */
    private interface Turn {
        void run(int number) throws Exception;
    }

    /** Lets two threads take their turns at the same time, each with a small head start now and then. */
    private void atOnce(int turns, Turn one, Turn other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        Future<?> first = begin(racer(turns, one, start, new Random(1)));
        Future<?> second = begin(racer(turns, other, start, new Random(2)));
        end(first);
        end(second);
    }

    private static Callable<Object> racer(int turns, Turn turn, CyclicBarrier start, Random random) {
        return () -> {
            for (int i = 0; i < turns; i++) {
                start.await(30, TimeUnit.SECONDS);
                long until = System.nanoTime() + random.nextInt(1_000_000);
                while (System.nanoTime() - until < 0) {
                    Thread.onSpinWait();
                }
                turn.run(i);
            }
            return "done";
        };
    }
}
