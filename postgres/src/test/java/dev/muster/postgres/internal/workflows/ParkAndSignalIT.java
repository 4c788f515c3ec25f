package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A run parks while an event is sent to it, or while its time runs out: with a transaction held open between its look and its write, in
 * both orders, and with threads that run freely. No event is lost, and each is taken by one wait.
 */
class ParkAndSignalIT extends RunRaces {
    private static final int EACH_ORDER = Sizes.of(30, 500);
    private static final int FREE = Sizes.of(100, 500);
    private static final int TIMEOUTS = Sizes.of(100, 1_000);
    private static final int HELD_TIMEOUTS = Sizes.of(20, 100);

    /** A test holds this advisory lock to stop a signal between the lock of the run's row and the write of the event. */
    private static final int GATE = 4711;

    private boolean signalInTransaction(JobId run) throws SQLException {
        try (PreparedStatement signal = other.prepareStatement(new SqlFiles("public").get("workflows/call_signal"))) {
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
            awaitBlocked(otherPid);
            assertThat(writePark(claim)).isTrue();
            parking.commit();

            assertThat(end(signal)).as("the signal found the driver parked").isTrue();
            other.commit();
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
                awaitBlocked(otherPid);
                lockToPark(claim);
                assertThat(writePark(claim))
                        .as("while the signal has locked the run")
                        .isFalse();
                parking.commit();
                gate.rollback();
                assertThat(end(signal))
                        .as("the signal found the driver claimed")
                        .isFalse();
                other.commit();

                lockToPark(claim);
                assertThat(writePark(claim)).isTrue();
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
        List<ClaimRef> claims = executing(TIMEOUTS);
        List<StepState> states = new ArrayList<>(Collections.nCopies(TIMEOUTS, StepState.WAITING));
        atOnce(
                TIMEOUTS,
                i -> states.set(
                        i, await(claims.get(i), "0", Duration.ZERO).row().state()),
                i -> runs.signal(claims.get(i).id(), "event", "go", "\"now\""));

        for (int i = 0; i < TIMEOUTS; i++) {
            ClaimRef claim = claims.get(i);
            assertThat(states.get(i)).isIn(StepState.COMPLETED, StepState.TIMED_OUT);
            assertThat(await(claim, "0", Duration.ZERO).row().state()).isEqualTo(states.get(i));
            boolean first = states.get(i) == StepState.COMPLETED;
            assertThat(await(claim, "1", Duration.ZERO).row().state())
                    .as("the next wait has the event if the first one has not")
                    .isEqualTo(first ? StepState.TIMED_OUT : StepState.COMPLETED);
        }
    }

    @Test
    void anEventThatIsBeingSentWhenTheTimeIsOverIsTaken() throws Exception {
        for (ClaimRef claim : executing(HELD_TIMEOUTS)) {
            assertThat(signalInTransaction(claim.id())).isFalse();
            Future<SavedStep> wait = begin(() -> await(claim, "0", Duration.ZERO));
            awaitBlockedBy(otherPid);
            other.commit();
            assertThat(end(wait).row().state()).isEqualTo(StepState.COMPLETED);
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '0'"))
                .isEqualTo(HELD_TIMEOUTS);
    }

    @Test
    void anEventThatComesWhileTheTimeoutIsStoredIsLeftForTheNextWait() throws Exception {
        for (ClaimRef claim : executing(HELD_TIMEOUTS)) {
            assertThat(awaitInTransaction(claim)).isEqualTo("timed_out");
            Future<Boolean> signal = begin(() -> signalInTransaction(claim.id()));
            awaitBlocked(otherPid);
            parking.commit();
            end(signal);
            other.commit();
            assertThat(await(claim, "0", Duration.ZERO).row().state()).isEqualTo(StepState.TIMED_OUT);
            assertThat(await(claim, "1", Duration.ZERO).row().state()).isEqualTo(StepState.COMPLETED);
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by = '1'"))
                .isEqualTo(HELD_TIMEOUTS);
    }

    /** A wait whose time is over at once. */
    private String awaitInTransaction(ClaimRef claim) throws SQLException {
        try (PreparedStatement wait =
                parking.prepareStatement(new SqlFiles("public").get("workflows/call_await_event"))) {
            wait.setObject(1, claim.id().value());
            wait.setObject(2, claim.id().value());
            wait.setLong(3, claim.token());
            wait.setString(4, "0");
            wait.setString(5, "go");
            wait.setString(6, "event");
            wait.setString(7, "go");
            wait.setLong(8, 0);
            wait.setString(9, "n1");
            try (ResultSet rows = wait.executeQuery()) {
                rows.next();
                return rows.getString("step_status");
            }
        }
    }

    /** What one of two racers does in its i-th turn. */
    private interface Turn {
        void run(int number) throws Exception;
    }

    /** Lets two threads take their turns at the same time, each with a small head start now and then. */
    private void atOnce(int turns, Turn one, Turn other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        Random random = new Random(Seeds.next(getClass()));
        Future<?> first = begin(racer(turns, one, start, new Random(random.nextLong())));
        Future<?> second = begin(racer(turns, other, start, new Random(random.nextLong())));
        end(first);
        end(second);
    }

    private static Callable<Object> racer(int turns, Turn turn, CyclicBarrier start, Random random) {
        return () -> {
            for (int i = 0; i < turns; i++) {
                start.await(5, TimeUnit.MINUTES);
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
