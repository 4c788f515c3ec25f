package dev.muster.postgres;

import static dev.muster.postgres.Cursors.BEGINNING;

import dev.muster.postgres.Cursors.Plan;
import dev.muster.postgres.Cursors.Reach;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** What is known of one lane, by rank. Guarded by its {@link Cursors}. */
final class Marks {
    private static final long LATE_COMMIT_MICROS = TimeUnit.SECONDS.toMicros(2);

    final long[] position = Cursors.filled(BEGINNING);

    /**
     * The last position at which a job was claimed. A scan that finds nothing lets the cursor rise too, but it may
     * have found nothing because the queue was paused just then.
     */
    private final long[] claimed = Cursors.filled(BEGINNING);

    /** The server's clock when a scan last looked for commits that came late; what came since is not much older. */
    private final long[] lateSeen = new long[Cursors.RANKS.length];

    /** Nothing can become claimable before it any more, but by a clock that is set back. */
    final long[] floor = Cursors.filled(BEGINNING);

    /** What becomes the floor when all transactions are over that were under way when it was proposed. */
    final long[] proposed = Cursors.filled(BEGINNING);

    /**
     * In a backlog that is older than a late commit can be, looking for such commits costs nothing: they stand
     * in front of the cursor. It matters while nothing dead can be removed, and two seconds hold 100,000 rows.
     */
    long start(int r, Reach reach) {
        if (position[r] == BEGINNING) {
            return floor[r];
        }
        long forward = Cursors.justBefore(position[r]);
        return Math.max(
                floor[r], reach == Reach.RECENT ? Math.min(forward, lateSeen[r] - LATE_COMMIT_MICROS) : forward);
    }

    /** Not if the scan started after it: meanwhile another has found more to do in between. */
    boolean mayRise(int r, Plan plan, int i) {
        return plan.starts()[i] <= Math.max(position[r], floor[r]);
    }

    void claimedAt(int r, long micros) {
        position[r] = micros;
        claimed[r] = micros;
    }

    /** What is behind may have been left there: goes back to where something was found for sure. */
    void passedBy() {
        for (int r = 0; r < position.length; r++) {
            position[r] = Math.min(position[r], claimed[r]);
        }
    }

    void backTo(int r, long micros) {
        position[r] = Math.min(position[r], micros);
        claimed[r] = Math.min(claimed[r], micros);
        floor[r] = Math.min(floor[r], Cursors.justBefore(micros));
    }

    void lateSeen(int r, Plan plan, int i, long clockMicros) {
        if (plan.reach() != Reach.FORWARD || plan.starts()[i] <= floor[r]) {
            lateSeen[r] = Math.max(lateSeen[r], clockMicros);
        }
    }

    void raiseFloor(int r, long safe) {
        floor[r] = Math.min(proposed[r], safe);
    }

    void forgetFloors() {
        Arrays.fill(floor, BEGINNING);
        Arrays.fill(proposed, BEGINNING);
    }
}
