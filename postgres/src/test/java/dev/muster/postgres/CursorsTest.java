package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.Cursors.Hit;
import dev.muster.postgres.Cursors.Plan;
import dev.muster.postgres.Cursors.Reach;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CursorsTest {
    private static final Lane LANE = new Lane("default", "");
    private static final int HIGH = Priority.HIGH.level();
    private static final int LOW = Priority.LOW.level();
    private static final long SECOND = TimeUnit.SECONDS.toMicros(1);

    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
    private final Cursors cursors = new Cursors(nanos::get);

    @Test
    void lateCommitsAreLookedForBehindTheClockAndNotBehindAnOldBacklog() {
        cursors.discovered(Set.of(LANE), 0);
        long now = 1_000 * SECOND;
        scan(Reach.EVERYTHING, now, hit(HIGH, now - 60 * SECOND));

        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(start(Reach.FORWARD, HIGH));

        scan(Reach.FORWARD, now + SECOND, hit(HIGH, now + SECOND));
        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(now - 2 * SECOND);
    }

    @Test
    void aRankThatWasNotReachedKeepsWhatMayStillBeFoundBehindItsCursor() {
        cursors.discovered(Set.of(LANE), 0);
        long then = 1_000 * SECOND;
        cursors.exhausted(cursors.plan(Reach.EVERYTHING, 0), List.of(), then, true);

        long later = then + 30 * SECOND;
        scan(Reach.RECENT, later, hit(HIGH, later - SECOND));

        assertThat(start(Reach.RECENT, LOW)).isEqualTo(then - 2 * SECOND);
        assertThat(start(Reach.RECENT, HIGH)).isEqualTo(later - 2 * SECOND);
    }

    @Test
    void aScanFromTheBeginningIsMadeAsOftenAsItsCostAllows() {
        cursors.scanned(Reach.EVERYTHING, 0, TimeUnit.SECONDS.toNanos(2));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(39));
        assertThat(cursors.nextReach()).isEqualTo(Reach.RECENT);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(cursors.nextReach()).isEqualTo(Reach.EVERYTHING);

        cursors.scanned(Reach.EVERYTHING, 0, TimeUnit.MILLISECONDS.toNanos(1));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertThat(cursors.nextReach()).isEqualTo(Reach.EVERYTHING);
    }

    @Test
    void aScanThatIsDueIsMadeByOneOfTwo() {
        cursors.scanned(Reach.EVERYTHING, 0, TimeUnit.MILLISECONDS.toNanos(1));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertThat(cursors.nextReach()).isEqualTo(Reach.EVERYTHING);
        assertThat(cursors.nextReach()).isEqualTo(Reach.RECENT);
        assertThat(cursors.nextReach()).isEqualTo(Reach.FORWARD);
    }

    @Test
    void marksAreNotTrustedAfterOneWasFoundWrongUntilAScanMeetsNone() {
        Plan trusting = cursors.plan(Reach.FORWARD, 0);
        assertThat(trusting.trusting()).isTrue();
        assertThat(cursors.plan(Reach.EVERYTHING, 0).trusting()).isFalse();

        cursors.met(cursors.plan(Reach.EVERYTHING, 0), true);
        Plan wary = cursors.plan(Reach.FORWARD, 0);
        assertThat(wary.trusting()).isFalse();
        cursors.met(trusting, false);
        assertThat(cursors.plan(Reach.FORWARD, 0).trusting()).isFalse();
        cursors.met(wary, false);
        assertThat(cursors.plan(Reach.FORWARD, 0).trusting()).isTrue();
    }

    @Test
    void aCostlyScanIsMadeOnceAMinuteAllTheSame() {
        cursors.scanned(Reach.EVERYTHING, 0, TimeUnit.SECONDS.toNanos(30));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertThat(cursors.nextReach()).isEqualTo(Reach.RECENT);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(cursors.nextReach()).isEqualTo(Reach.EVERYTHING);
    }

    @Test
    void aStepBackIsNotUndoneByAScanThatStartedInFront() {
        cursors.discovered(Set.of(LANE), 0);
        long now = 1_000 * SECOND;
        cursors.exhausted(cursors.plan(Reach.EVERYTHING, 0), List.of(), now, true);
        Plan underWay = cursors.plan(Reach.FORWARD, 0);
        long old = now - 60 * SECOND;
        scan(Reach.EVERYTHING, now, hit(HIGH, old));

        cursors.exhausted(underWay, List.of(), now + SECOND, true);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(old - 1);
        cursors.claimed(underWay, List.of(hit(HIGH, now)), now + SECOND, true);
        assertThat(start(Reach.FORWARD, HIGH)).isEqualTo(old - 1);
    }

    @Test
    void whatAScanHadLockedThatWasRolledBackIsLookedForAgain() {
        cursors.discovered(Set.of(LANE), 0);
        long now = 1_000 * SECOND;
        scan(Reach.EVERYTHING, now, hit(HIGH, now - 60 * SECOND));
        Plan lost = cursors.plan(Reach.FORWARD, 0);
        scan(Reach.FORWARD, now, hit(HIGH, now - 50 * SECOND));

        cursors.rolledBack(lost);

        assertThat(start(Reach.FORWARD, HIGH)).isLessThan(now - 60 * SECOND);
    }

    @Test
    void aWakeUpDuringAScanIsNotTakenForHeeded() {
        cursors.scanned(Reach.EVERYTHING, 0, 0);
        int before = cursors.wakes();
        cursors.discovered(List.of(), before);
        cursors.wake(Set.of(LANE));
        cursors.discovered(List.of(), before);
        cursors.scanned(Reach.EVERYTHING, before, TimeUnit.MILLISECONDS.toNanos(1));

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(cursors.nextReach()).isEqualTo(Reach.EVERYTHING);
        assertThat(cursors.plan(Reach.FORWARD, 0).ranks()).isNotEmpty();
    }

    private static Hit hit(int rank, long readyMicros) {
        return new Hit(LANE, rank, readyMicros);
    }

    private void scan(Reach reach, long clock, Hit... hits) {
        cursors.claimed(cursors.plan(reach, cursors.wakes()), List.of(hits), clock, true);
    }

    private long start(Reach reach, int rank) {
        Plan plan = cursors.plan(reach, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == rank) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + rank);
    }
}
