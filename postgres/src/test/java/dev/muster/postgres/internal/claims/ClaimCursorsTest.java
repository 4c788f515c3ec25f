package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where scans start, and how far they move the cursors. */
class ClaimCursorsTest extends CursorsOnAClock {
    /** A scan that found fewer jobs than it wanted. */
    private void exhausted(ScanPlan plan, List<FoundJob> hits, long clock) {
        cursors.claimed(plan, ScanResult.of(plan, hits, 1_000, 1_000), clock, true);
    }

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
}
