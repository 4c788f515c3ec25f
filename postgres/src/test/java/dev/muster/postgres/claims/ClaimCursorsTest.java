package dev.muster.postgres.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.claims.ScanPlan.Reach;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimCursorsTest {
    private static final Lane LANE = new Lane("default", "");
    private static final int HIGH = Priority.HIGH.level();
    private static final int LOW = Priority.LOW.level();
    private static final long SECOND = TimeUnit.SECONDS.toMicros(1);

    /** No transaction is older than any proposal. */
    private static final long NONE = Long.MAX_VALUE;

    private int claimers = 1;
    private long number = 10;
    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
    private final ClaimCursors cursors = new ClaimCursors(nanos::get);

    @Test
    void lateCommitsAreLookedForBehindTheClockAndNotBehindAnOldBacklog() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));

        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(start(Reach.FORWARD, HIGH));

        scan(Reach.FORWARD, now + SECOND, hit(HIGH, now + SECOND));
        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(now - 2 * SECOND);
    }

    @Test
    void aRankThatWasNotReachedKeepsWhatMayStillBeFoundBehindItsCursor() {
        cursors.wake(Set.of(LANE));
        long then = 1_000 * SECOND;
        exhausted(cursors.plan(Reach.RECENT, 0), List.of(), then);

        long later = then + 30 * SECOND;
        scan(Reach.RECENT, later, hit(HIGH, later - SECOND));

        assertThat(start(Reach.RECENT, LOW)).isEqualTo(then - 2 * SECOND);
        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(later - 2 * SECOND);
    }

    @Test
    void aLaneThatWasCutShortKeepsTheRestOfItsJobsInFrontOfItsCursorAndTheOthersRise() {
        Lane limited = new Lane("limited", "");
        cursors.wake(Set.of(LANE, limited));
        long now = 1_000 * SECOND;
        ScanPlan plan = cursors.plan(Reach.RECENT, cursors.wakes());
        List<FoundJob> hits =
                List.of(new FoundJob(limited, HIGH, now - 60 * SECOND), new FoundJob(limited, HIGH, now - 50 * SECOND));
        ScanResult result = ScanResult.of(plan, hits, 2, 10);
        cursors.claimed(plan, result, now, true);

        assertThat(result.sawAll()).isFalse();
        assertThat(start(limited, HIGH)).isEqualTo(now - 50 * SECOND - 1);
        assertThat(start(limited, LOW)).isGreaterThan(now - SECOND);
        assertThat(start(LANE, HIGH)).isGreaterThan(now - SECOND);
    }

    /** Otherwise a node that never claims all there is would walk over what others have done in the ranks above. */
    @Test
    void aClaimThatFoundEnoughHasSeenTheRanksBeforeThatToTheirEndAndNothingOfThoseAfterIt() {
        int normal = Priority.NORMAL.level();
        cursors.wake(Set.of(LANE));
        long then = 1_000 * SECOND;
        scan(Reach.RECENT, then, hit(HIGH, then - 60 * SECOND));
        scan(Reach.RECENT, then, hit(LOW, then - 60 * SECOND));
        long now = then + 30 * SECOND;
        ScanPlan plan = cursors.plan(Reach.RECENT, cursors.wakes());
        cursors.claimed(plan, ScanResult.of(plan, List.of(hit(normal, now - 70 * SECOND)), 1, 1), now, true);

        assertThat(start(LANE, HIGH)).isGreaterThan(now - SECOND);
        assertThat(start(LANE, normal)).isEqualTo(now - 70 * SECOND - 1);
        assertThat(start(LANE, LOW)).isEqualTo(then - 60 * SECOND - 1);
    }

    @Test
    void aScanThatTrustsMarksOfLocksRaisesNoCursorBeyondWhatItFound() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));
        ScanPlan plan = cursors.plan(Reach.FORWARD, cursors.wakes());
        assertThat(plan.trustsXmax()).isTrue();
        exhausted(plan, List.of(hit(HIGH, now - 50 * SECOND)), now);
        assertThat(start(LANE, HIGH)).isEqualTo(now - 50 * SECOND - 1);
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

    private ProbeResult others(Lane lane) {
        ProbeResult none = seen(1_000 * SECOND, NONE);
        FoundJob first = new FoundJob(lane, HIGH, 900 * SECOND);
        return new ProbeResult(
                none.firsts(),
                List.of(),
                List.of(first),
                none.beyond(),
                none.server(),
                none.claimers(),
                none.running(),
                none.number());
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

    private boolean look(long now, long running, long cost, FoundJob... firsts) {
        return cursors.probed(cursors.planProbe(), seen(now, running, firsts), cost);
    }

    private ProbeResult seen(long now, long running, FoundJob... firsts) {
        return new ProbeResult(
                List.of(firsts),
                List.of(),
                List.of(),
                OptionalLong.empty(),
                new ServerTime(1, now, now * 1_000, now * 1_000),
                claimers,
                running,
                OptionalLong.of(number));
    }

    @Test
    void marksAreNotTrustedAfterOneWasFoundWrongUntilAScanMeetsNone() {
        ScanPlan trusting = cursors.plan(Reach.FORWARD, 0);
        assertThat(trusting.trustsXmax()).isTrue();
        assertThat(cursors.plan(Reach.RECENT, 0).trustsXmax()).isFalse();

        cursors.met(cursors.plan(Reach.RECENT, 0), true);
        ScanPlan wary = cursors.plan(Reach.FORWARD, 0);
        assertThat(wary.trustsXmax()).isFalse();
        cursors.met(trusting, false);
        assertThat(cursors.plan(Reach.FORWARD, 0).trustsXmax()).isFalse();
        cursors.met(wary, false);
        assertThat(cursors.plan(Reach.FORWARD, 0).trustsXmax()).isTrue();
    }

    @Test
    void aStepBackIsNotUndoneByAScanThatStartedInFront() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        exhausted(cursors.plan(Reach.RECENT, 0), List.of(), now);
        ScanPlan underWay = cursors.plan(Reach.FORWARD, 0);
        long old = now - 60 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, old));

        exhausted(underWay, List.of(), now + SECOND);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(old - 1);
        claimed(underWay, List.of(hit(HIGH, now)), now + SECOND);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(old - 1);
    }

    @Test
    void whatAScanHadLockedThatWasRolledBackIsLookedForAgain() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));
        ScanPlan lost = cursors.plan(Reach.FORWARD, 0);
        scan(Reach.FORWARD, now, hit(HIGH, now - 50 * SECOND));

        cursors.rolledBack(lost);

        assertThat(start(Reach.FORWARD, HIGH)).isLessThan(now - 60 * SECOND);
    }

    @Test
    void aQueueThatWasPausedIsTakenUpWhereTheLastJobWasClaimed() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));
        exhausted(cursors.plan(Reach.RECENT, 0), List.of(hit(HIGH, now - 50 * SECOND)), now);
        ScanPlan whenPaused = cursors.plan(Reach.RECENT, 0);
        exhausted(whenPaused, List.of(), now + SECOND);

        cursors.leftOut(Set.of("other"));
        assertThat(start(Reach.FORWARD, HIGH)).isGreaterThan(now);
        cursors.leftOut(Set.of(LANE.queue()));
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 50 * SECOND - 1);
        assertThat(start(Reach.FORWARD, LOW)).isEqualTo(LaneCursor.BEGINNING);

        cursors.rolledBack(whenPaused);
        scan(Reach.FORWARD, now + SECOND, hit(HIGH, now - 49 * SECOND));
        cursors.leftOut(Set.of(LANE.queue()));
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(now - 49 * SECOND - 1);
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

    private static FoundJob hit(int rank, long readyMicros) {
        return new FoundJob(LANE, rank, readyMicros);
    }

    /** A scan that found as many jobs as it wanted. */
    private void claimed(ScanPlan plan, List<FoundJob> hits, long clock) {
        cursors.claimed(plan, ScanResult.of(plan, hits, hits.size(), hits.size()), clock, true);
    }

    /** A scan that found fewer jobs than it wanted. */
    private void exhausted(ScanPlan plan, List<FoundJob> hits, long clock) {
        cursors.claimed(plan, ScanResult.of(plan, hits, 1_000, 1_000), clock, true);
    }

    private void scan(Reach reach, long clock, FoundJob... hits) {
        claimed(cursors.plan(reach, cursors.wakes()), List.of(hits), clock);
    }

    private long start(Lane lane, int rank) {
        ScanPlan plan = cursors.plan(Reach.FORWARD, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == rank && plan.lane(i).equals(lane)) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + rank + " of " + lane);
    }

    private long start(Reach reach, int rank) {
        ScanPlan plan = cursors.plan(reach, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == rank) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + rank);
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

    /** Two pumps start at the same cursor; one fails, the other has passed by what that had locked. */
    @Test
    void aScanThatPassedByWhatWasRolledBackDoesNotRiseOverIt() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));
        ScanPlan fails = cursors.plan(Reach.FORWARD, 0);
        ScanPlan passesBy = cursors.plan(Reach.FORWARD, 0);

        cursors.rolledBack(fails);
        claimed(passesBy, List.of(hit(HIGH, now - 50 * SECOND)), now);

        assertThat(start(Reach.FORWARD, HIGH)).isLessThanOrEqualTo(now - 60 * SECOND);
    }

    @Test
    void marksThatARollBackLeftAreNotTrusted() {
        cursors.wake(Set.of(LANE));
        long now = 1_000 * SECOND;
        scan(Reach.RECENT, now, hit(HIGH, now - 60 * SECOND));
        ScanPlan before = cursors.plan(Reach.RECENT, 0);
        cursors.rolledBack(cursors.plan(Reach.FORWARD, 0));
        assertThat(cursors.plan(Reach.FORWARD, 0).trustsXmax()).isFalse();
        cursors.met(before, false);
        assertThat(cursors.plan(Reach.FORWARD, 0).trustsXmax())
                .as("a scan that began before says nothing of them")
                .isFalse();
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
    void aScanAsksABoundedNumberOfLanesAndAllGetTheirTurn() {
        Set<Lane> many = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(new Lane("q" + i, ""));
        }
        long now = 1_000 * SECOND;
        ProbeResult none = seen(now, NONE);
        List<FoundJob> firsts = many.stream()
                .map(lane -> new FoundJob(lane, HIGH, now - SECOND))
                .toList();
        cursors.probed(
                cursors.planProbe(),
                new ProbeResult(
                        none.firsts(),
                        List.of(),
                        firsts,
                        OptionalLong.empty(),
                        none.server(),
                        none.claimers(),
                        none.running(),
                        none.number()),
                1);
        Set<Lane> asked = new HashSet<>();
        int scans = 0;
        ScanPlan plan;
        do {
            plan = cursors.plan(Reach.FORWARD, cursors.wakes());
            assertThat(plan.ranks()).hasSizeLessThanOrEqualTo(ScanPlanner.MAX_ASKED);
            for (int i = 0; i < plan.ranks().length; i++) {
                asked.add(plan.lane(i));
            }
            exhausted(plan, List.of(), now);
            scans++;
        } while (plan.partial());
        assertThat(asked).containsAll(many);
        assertThat(scans).isEqualTo(1_000 / ScanPlanner.MAX_ASKED);

        cursors.wake(Set.of(new Lane("q7", "")));
        ScanPlan next = cursors.plan(Reach.FORWARD, cursors.wakes());
        assertThat(next.partial()).isFalse();
        assertThat(IntStream.range(0, next.ranks().length)
                        .filter(i -> next.lane(i).queue().equals("q7"))
                        .count())
                .as("every rank of the lane that has new work")
                .isEqualTo(Ranks.count());
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

    /** A look that saw only jobs for others up to this time. */
    private void walk(long now, long micros) {
        ProbeResult none = seen(now, NONE);
        cursors.probed(
                cursors.planProbe(),
                new ProbeResult(
                        List.of(),
                        List.of(hit(HIGH, micros)),
                        List.of(),
                        OptionalLong.empty(),
                        none.server(),
                        none.claimers(),
                        none.running(),
                        none.number()),
                1);
        cursors.wake(Set.of(LANE));
    }
}
