package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When probes are made, and what they do to cursors, floors and lanes. */
class ProbedCursorsTest extends CursorsOnAClock {
    private void withFloor(long now) {
        number += 10;
        scan(Reach.FORWARD, now, hit(HIGH, now - SECOND));
        look(now, number - 5, 1);
        look(now, number + 1, 1);
        assertThat(floor(HIGH)).isEqualTo(now - 10 * SECOND);
    }

    private long floor(int rank) {
        ProbePlan look = cursors.planProbe();
        cursors.probeFailed(look, 1, false);
        for (int i = 0; i < look.ranks().length; i++) {
            if (look.ranks()[i] == rank) {
                return look.floors()[i];
            }
        }
        throw new AssertionError("no rank " + rank);
    }

    @Test
    void aLookIsMadeAsOftenAsItsCostAllows() {
        cursors.wake(Set.of(LANE));
        look(1_000 * SECOND, NONE, 1);
        look(1_000 * SECOND, NONE, TimeUnit.SECONDS.toNanos(2), hit(HIGH, 900 * SECOND));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(39));
        assertThat(cursors.probeDue()).isFalse();
        assertThat(cursors.probeAffordable()).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(cursors.probeDue()).isTrue();

        look(1_000 * SECOND, NONE, 1);
        look(1_000 * SECOND, NONE, TimeUnit.MILLISECONDS.toNanos(1), hit(HIGH, 900 * SECOND));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(cursors.probeDue()).as("with work at hand").isFalse();
        assertThat(cursors.probeAffordable()).isTrue();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertThat(cursors.probeDue()).isTrue();

        look(1_000 * SECOND, NONE, TimeUnit.MILLISECONDS.toNanos(1));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(cursors.probeDue()).as("without work").isTrue();
    }

    @Test
    void aLookThatIsDueIsMadeByOneOfTwo() {
        cursors.wake(Set.of(LANE));
        look(1_000 * SECOND, NONE, 1, hit(HIGH, 900 * SECOND));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertThat(cursors.probeDue()).isTrue();
        cursors.planProbe();
        assertThat(cursors.probeDue()).isFalse();
    }

    @Test
    void aCostlyLookIsMadeOnceAMinuteAllTheSame() {
        cursors.wake(Set.of(LANE));
        look(1_000 * SECOND, NONE, 1);
        look(1_000 * SECOND, NONE, TimeUnit.SECONDS.toNanos(25), hit(HIGH, 900 * SECOND));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertThat(cursors.probeDue()).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(cursors.probeDue()).isTrue();
    }

    @Test
    void nodesShareTheTimeThatLooksMayTake() {
        cursors.wake(Set.of(LANE));
        claimers = 100;
        look(1_000 * SECOND, NONE, 1);
        look(1_000 * SECOND, NONE, TimeUnit.SECONDS.toNanos(25), hit(HIGH, 900 * SECOND));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(599));
        assertThat(cursors.probeDue()).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(cursors.probeDue()).isTrue();
    }

    @Test
    void whatALookSeesBehindTheCursorIsClaimedNext() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 30 * SECOND));
        scan(Reach.FORWARD, now, hit(HIGH, now - 20 * SECOND));

        assertThat(look(now, NONE, 1, hit(HIGH, now - 20 * SECOND))).isFalse();
        assertThat(look(now, NONE, 1, hit(HIGH, now - 60 * SECOND))).isTrue();
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 60 * SECOND - 1);
        assertThat(cursors.plan(Reach.FORWARD, 0).trustsXmax()).isFalse();

        scan(Reach.RECENT, now, hit(HIGH, now - 20 * SECOND));
        assertThat(look(now, NONE, 1, hit(HIGH, now - 60 * SECOND)))
                .as("somebody has it locked")
                .isFalse();
    }

    @Test
    void theFloorRisesOnceEverythingIsOverThatWasUnderWay() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - SECOND));

        look(now, 7, 1, hit(LOW, now - 60 * SECOND));
        assertThat(floor(HIGH)).isEqualTo(LaneCursor.BEGINNING);
        look(now + SECOND, 7, 1);
        assertThat(floor(HIGH)).as("transaction 7 is still under way").isEqualTo(LaneCursor.BEGINNING);
        number = 20;
        look(now + SECOND, 11, 1, hit(LOW, now - 50 * SECOND));
        assertThat(floor(HIGH)).isEqualTo(now - 10 * SECOND);
        assertThat(floor(LOW)).as("something was there when it was proposed").isEqualTo(now - 60 * SECOND - 1);

        look(now + 2 * SECOND, 21, 1, hit(LOW, now - 55 * SECOND));
        assertThat(floor(LOW)).as("a commit that came late").isEqualTo(now - 55 * SECOND - 1);
    }

    @Test
    void floorsAreForgottenWithTheServerAndWhenItsClockIsSetBack() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        withFloor(now);
        cursors.server(new ServerTime(1, now, 0, 1_100_000_000));
        cursors.server(new ServerTime(1, now + SECOND, 1_000_000_000, 1_000_000_000));
        cursors.server(new ServerTime(1, now, 0, 2_000_000_000));
        assertThat(floor(HIGH)).as("answers that overtook each other").isPositive();
        cursors.server(new ServerTime(2, now + 2 * SECOND, 2_000_000_000, 2_000_000_000));
        assertThat(floor(HIGH)).isEqualTo(LaneCursor.BEGINNING);
        cursors.probed(cursors.planProbe(), seen(now, NONE), 1);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        assertThat(cursors.probeDue()).as("seen on the first server again").isTrue();

        withFloor(now);
        cursors.server(new ServerTime(1, now, now * 1_000, now * 1_000));
        cursors.server(new ServerTime(1, now - 5 * SECOND, now * 1_000, now * 1_000));
        assertThat(floor(HIGH)).isEqualTo(LaneCursor.BEGINNING);
    }

    @Test
    void aLookThatFailsIsNotMadeAgainAtOnce() {
        cursors.wake(Set.of());
        ProbePlan look = cursors.planProbe();
        assertThat(look.limited()).isTrue();
        assertThat(cursors.probeDue()).as("while one is under way").isFalse();
        cursors.probeFailed(look, TimeUnit.SECONDS.toNanos(40), false);
        assertThat(cursors.probeDue()).isFalse();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        assertThat(cursors.probeDue()).isTrue();

        cursors.probeFailed(cursors.planProbe(), TimeUnit.SECONDS.toNanos(30), true);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        cursors.wake(Set.of(LANE));
        assertThat(cursors.probeDue()).as("after it took too long").isFalse();
    }

    @Test
    void aDearLookFromTheBeginningDoesNotDelayTheOthers() {
        look(1_000 * SECOND, NONE, 1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        ProbePlan whole = cursors.planProbe();
        assertThat(whole.whole()).isTrue();
        cursors.probed(whole, seen(1_000 * SECOND, NONE), TimeUnit.SECONDS.toNanos(3));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(cursors.probeDue()).isTrue();
    }

    @Test
    void aLaneWithNothingForThisNodeIsNewsOnlyOnce() {
        for (int i = 0; i < 101; i++) {
            cursors.wake(Set.of(new Lane("q" + i, "")));
        }
        Lane foreign = new Lane("foreign", "");
        look(1_000 * SECOND, NONE, 1);
        assertThat(cursors.probed(cursors.planProbe(), others(foreign), 1)).isTrue();
        look(1_000 * SECOND, NONE, 1);
        assertThat(cursors.probed(cursors.planProbe(), others(foreign), 1)).isFalse();
        look(1_000 * SECOND, NONE, 1);
        assertThat(cursors.probed(cursors.planProbe(), others(foreign), 1)).isFalse();
    }

    @Test
    void nowAndThenALookGoesBeyondTheFloors() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        cursors.probed(cursors.planProbe(), seen(now, NONE), TimeUnit.SECONDS.toNanos(1));
        withFloor(now);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(99));
        assertThat(cursors.planProbe().whole()).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        ProbePlan whole = cursors.planProbe();
        assertThat(whole.floors()).containsOnly(LaneCursor.BEGINNING);
        cursors.probed(whole, seen(now, NONE, hit(HIGH, now - 300 * SECOND)), 1);
        assertThat(start(Reach.FORWARD, HIGH)).isLessThanOrEqualTo(now - 300 * SECOND);
        assertThat(floor(HIGH)).isLessThanOrEqualTo(now - 300 * SECOND);
    }

    /** What it announced may have become visible after the scan, and lie behind the cursor. */
    @Test
    void aWakeUpWantsASecondLookUntilAProbeHasCoveredIt() {
        look(1_000 * SECOND, NONE, 1);
        look(1_000 * SECOND, NONE, TimeUnit.MILLISECONDS.toNanos(10));
        assertThat(cursors.nanosUntilWakesCanBeProbed()).isNegative();

        cursors.wake(Set.of(LANE));
        scan(Reach.RECENT, 1_000 * SECOND, hit(HIGH, 1_000 * SECOND));
        assertThat(cursors.nanosUntilWakesCanBeProbed()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(300));
        assertThat(cursors.nanosUntilWakesCanBeProbed()).isZero();

        ProbePlan underWay = cursors.planProbe();
        cursors.wake(Set.of(LANE));
        cursors.probed(underWay, seen(1_000 * SECOND, NONE), 1);
        assertThat(cursors.nanosUntilWakesCanBeProbed())
                .as("it came while a probe was under way")
                .isNotNegative();

        look(1_000 * SECOND, NONE, 1);
        assertThat(cursors.nanosUntilWakesCanBeProbed()).isNegative();
    }

    @Test
    void aWakeUpDuringALookIsNotTakenForHeeded() {
        look(1_000 * SECOND, NONE, 1);
        ProbePlan underWay = cursors.planProbe();
        cursors.wake(Set.of(LANE));
        cursors.probed(underWay, seen(1_000 * SECOND, NONE), 1);

        assertThat(cursors.idle()).isFalse();
        assertThat(cursors.nextReach()).isEqualTo(Reach.RECENT);
        assertThat(cursors.plan(Reach.FORWARD, 0).ranks()).isNotEmpty();
    }

    /** With wake-ups during every look, a lane must be forgotten all the same, or there is no room for others in the end. */
    @Test
    void whileWakeUpsGoOnLanesThatALookSawToBeEmptyAreForgotten() {
        for (int i = 0; i < 10_000; i++) {
            cursors.wake(Set.of(new Lane("tenant-" + i, "")));
        }
        ProbePlan underWay = cursors.planProbe();
        cursors.wake(Set.of(LANE));
        cursors.probed(underWay, seen(1_000 * SECOND, NONE), 1);
        underWay = cursors.planProbe();
        cursors.wake(Set.of(LANE));
        cursors.probed(underWay, seen(1_000 * SECOND, NONE), 1);

        assertThat(cursors.plan(Reach.FORWARD, 0).queues()).containsOnly(LANE.queue());
        assertThat(cursors.probeDue()).as("a look is wanted").isFalse();
    }

    @Test
    void lanesOfAPausedQueueAreNotAskedUntilItRunsAgain() {
        cursors.leftOut(Set.of(LANE.queue()));
        look(1_000 * SECOND, NONE, 1);
        assertThat(cursors.probed(cursors.planProbe(), others(LANE), 1)).isFalse();
        assertThat(cursors.idle()).isTrue();

        cursors.leftOut(Set.of());
        assertThat(cursors.probeDue()).isTrue();
        assertThat(cursors.probed(cursors.planProbe(), others(LANE), 1)).isTrue();
        assertThat(cursors.plan(Reach.FORWARD, 0).queues()).containsOnly(LANE.queue());
    }

    @Test
    void whoseTurnComesLaterAsksTheLanesThenAlthoughNoLookCanBeAfforded() {
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1);
        look(now, NONE, TimeUnit.SECONDS.toNanos(2));
        cursors.wakeLater(Set.of(LANE), Duration.ofMillis(35));
        assertThat(cursors.idle()).isTrue();
        assertThat(cursors.nanosUntilNext()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(35));

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(35));
        assertThat(cursors.probeDue()).isFalse();
        assertThat(cursors.idle()).isFalse();
        assertThat(cursors.plan(Reach.FORWARD, 0).queues()).containsOnly(LANE.queue());
    }

    @Test
    void aLookBetweenAWakeUpAndTheTurnSavesTheClaim() {
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1);
        cursors.wakeLater(Set.of(LANE), Duration.ofMillis(35));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(35));
        assertThat(cursors.probeDue()).isTrue();
        ProbePlan underWay = cursors.planProbe();
        assertThat(cursors.idle()).as("for the other pump").isTrue();
        assertThat(cursors.nanosUntilNext()).isNegative();
        cursors.probed(underWay, seen(now, NONE), 1);
        assertThat(cursors.idle()).isTrue();

        underWay = cursors.planProbe();
        cursors.wakeLater(Set.of(LANE), Duration.ofMillis(35));
        cursors.probed(underWay, seen(now + 35_000, NONE), 1);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(70));
        assertThat(cursors.idle())
                .as("it may have seen nothing of what came meanwhile")
                .isFalse();
    }

    /** A node that is idle and polls, and a database that is out of reach for as long as the pool waits. */
    @Test
    void aLookThatDidNotReachTheDatabaseIsMadeAgainSoon() {
        ClaimCursors idle = new ClaimCursors(nanos::get);
        ProbeResult nothing = new ProbeResult(
                List.of(),
                List.of(),
                List.of(),
                OptionalLong.empty(),
                new ServerTime(1, 1_000_000_000L, 0, 0),
                0,
                Long.MAX_VALUE,
                OptionalLong.empty());
        idle.probed(idle.planProbe(), nothing, 1_000_000);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        idle.probeFailed(idle.planProbe(), TimeUnit.SECONDS.toNanos(10), false);

        assertThat(idle.probeDue()).as("at once").isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(idle.probeDue()).isTrue();
    }

    @Test
    void aLaneIsAskedFromTheTimeOnAtWhichALookSawItsFirstJobToBeReady() {
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1);
        Lane later = new Lane("later", "");
        ProbeResult none = seen(now, NONE);
        FoundJob first = new FoundJob(later, HIGH, now + 30 * SECOND);
        cursors.probed(
                cursors.planProbe(),
                new ProbeResult(
                        none.firsts(),
                        List.of(),
                        List.of(first),
                        OptionalLong.of(now + 200 * SECOND),
                        none.server(),
                        none.claimers(),
                        none.running(),
                        none.number()),
                1);

        assertThat(cursors.idle()).isTrue();
        assertThat(cursors.plan(Reach.RECENT, 0).ranks()).isEmpty();
        assertThat(cursors.nanosUntilNext()).isEqualTo(TimeUnit.SECONDS.toNanos(30));

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
        assertThat(cursors.idle()).isFalse();
        assertThat(cursors.plan(Reach.RECENT, 0).queues()).containsOnly("later");
        assertThat(cursors.nanosUntilNext()).isEqualTo(TimeUnit.SECONDS.toNanos(170));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(170));
        assertThat(cursors.probeDue()).as("for what lay beyond").isTrue();
        assertThat(cursors.nanosUntilNext()).isNegative();
    }

    @Test
    void afterAScanTookTooLongLooksWalkWhereItWas() {
        cursors.wake(Set.of(LANE));
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1, hit(HIGH, now - 900 * SECOND));
        ScanPlan slow = cursors.plan(Reach.RECENT, 0);
        cursors.rolledBack(slow);
        cursors.leapOver(slow);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 10 * SECOND - 1);

        walk(now, now - 800 * SECOND);
        assertThat(floor(HIGH)).isEqualTo(now - 800 * SECOND - 1);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 10 * SECOND - 1);
        walk(now, now - 700 * SECOND);
        assertThat(floor(HIGH)).isEqualTo(now - 700 * SECOND - 1);
        assertThat(look(now, NONE, 1, hit(HIGH, now - 650 * SECOND))).isTrue();
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 650 * SECOND - 1);
        assertThat(floor(HIGH)).as("the next one starts over").isNegative();
    }

    @Test
    void afterAScanTookTooLongNoScanStartsAtTheBeginningAgain() {
        cursors.wake(Set.of(LANE));
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1, hit(HIGH, now - 900 * SECOND));
        ScanPlan slow = cursors.plan(Reach.RECENT, 0);
        cursors.rolledBack(slow);
        cursors.leapOver(slow);

        assertThat(start(Reach.RECENT, HIGH)).isBetween(now - 13 * SECOND, now - 10 * SECOND);
    }

    @Test
    void aSecondScanThatTookTooLongDoesNotUndoTheWalkOfTheFirst() {
        cursors.wake(Set.of(LANE));
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        look(now, NONE, 1, hit(HIGH, now - 900 * SECOND));
        ScanPlan slow = cursors.plan(Reach.RECENT, 0);
        cursors.rolledBack(slow);
        cursors.leapOver(slow);
        walk(now, now - 800 * SECOND);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
        ScanPlan again = cursors.plan(Reach.RECENT, 0);
        cursors.rolledBack(again);
        cursors.leapOver(again);

        assertThat(floor(HIGH)).isEqualTo(now - 800 * SECOND - 1);
    }

    @Test
    void besideManyJobsForOthersTheFloorRisesAlthoughThisNodeClaimsNothing() {
        cursors.wake(Set.of(LANE));
        long now = TimeUnit.NANOSECONDS.toMicros(nanos.get());
        for (int i = 0; i < 2; i++) {
            walk(now, now - 800 * SECOND);
            walk(now, now - 700 * SECOND);
            ProbePlan last = cursors.planProbe();
            assertThat(last.numbered()).isTrue();
            cursors.probed(last, seen(now, NONE), 1);
            cursors.wake(Set.of(LANE));
        }
        assertThat(floor(HIGH)).isEqualTo(now - 10 * SECOND);
    }
}
