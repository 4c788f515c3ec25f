package dev.muster.postgres.claims;

import dev.muster.postgres.claims.ScanPlan.Reach;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** What is known of one lane, by rank. Guarded by the cursors of its session. */
public final class LaneCursor {
    /** Where a cursor is before anything was claimed. */
    static final long BEGINNING = -1;

    static final long NO_WALK = Long.MIN_VALUE;

    private static final long LATE_COMMIT_MICROS = TimeUnit.SECONDS.toMicros(2);

    final long[] position = Ranks.filled(BEGINNING);

    /**
     * The last position at which a job was claimed. A scan that finds nothing lets the cursor rise too, but it may
     * have found nothing because the queue was paused just then.
     */
    private final long[] claimed = Ranks.filled(BEGINNING);

    /** The server's clock when a scan last looked for commits that came late; what came since is not much older. */
    private final long[] lateSeen = new long[Ranks.count()];

    /** Nothing can become claimable before it any more, but by a clock that is set back. */
    final long[] floor = Ranks.filled(BEGINNING);

    /** What becomes the floor when all transactions are over that were under way when it was proposed. */
    final long[] proposed = Ranks.filled(BEGINNING);

    /** Ranks that may have work now. */
    private final boolean[] due = new boolean[Ranks.count()];

    /** Ranks in which a scan has found nothing left since they were said to have work. */
    private final boolean[] empty = new boolean[Ranks.count()];

    /** Ranks that have had work: a look asks for these by name. */
    final boolean[] used = new boolean[Ranks.count()];

    /** How far looks have walked over jobs for other nodes, from the floor on; {@link #NO_WALK} if they are not under way. */
    final long[] walked = Ranks.filled(NO_WALK);

    /** Whether, when that walk began, all was over that the proposal waits for. */
    private final boolean[] walkConfirms = new boolean[Ranks.count()];

    /** The count of wake-ups when this lane was last said to have work. */
    private int wokenAt;

    /** Whether this rank was said to have work, and no scan has found nothing left since. */
    boolean expected(int r) {
        return due[r] && !empty[r];
    }

    /** A scan has found nothing left in this rank. */
    void scannedInVain(int r, ScanPlan plan) {
        empty[r] |= wokenAt <= plan.wakes();
    }

    /** There may be work in this rank. */
    void expect(int r) {
        due[r] = true;
        empty[r] = false;
    }

    void expectAll(int wakes) {
        wokenAt = wakes;
        Arrays.fill(due, true);
        Arrays.fill(empty, false);
    }

    /** Whether this lane was said to have work after the wake-up of this number. */
    boolean wokenAfter(int wakes) {
        return wokenAt > wakes;
    }

    void expectNothing() {
        Arrays.fill(due, false);
        Arrays.fill(empty, false);
    }

    /** Where a look starts. */
    long lookFrom(int r) {
        return walked[r] == NO_WALK ? floor[r] : walked[r];
    }

    /**
     * A look has seen nothing for this node from where it started to this time, and there is more.
     *
     * @param confirms whether all is over that the proposal waits for
     */
    void walkedTo(int r, long micros, boolean confirms) {
        if (walked[r] == NO_WALK) {
            walkConfirms[r] = confirms;
        }
        walked[r] = Math.max(walked[r], micros);
    }

    /** A look has come to the end. Returns whether all was over from the start on that the proposal waits for. */
    boolean walkEnded(int r, boolean confirms) {
        boolean all = confirms && (walked[r] == NO_WALK || walkConfirms[r]);
        walked[r] = NO_WALK;
        return all;
    }

    /** There are more jobs of one and the same time than any look can walk over: what is left of them is not looked at. */
    void skipInstant() {
        for (int r = 0; r < walked.length; r++) {
            if (walked[r] != NO_WALK) {
                walked[r] += 2;
                walkConfirms[r] = false;
            }
        }
    }

    /**
     * A scan took too long, and what it had found is not known. The cursor goes to the given time, and looks walk from
     * where the scan began, over so many jobs at a time. What they find there sends the cursor back.
     */
    void leapOver(int r, long start, long micros) {
        if (start < micros) {
            position[r] = Math.max(position[r], micros);
            // Looks find what came late before that, too.
            lateSeen[r] = Math.max(lateSeen[r], micros);
            long from = Math.max(start, floor[r]);
            walked[r] = walked[r] == NO_WALK ? from : Math.min(walked[r], from);
            walkConfirms[r] = false;
        }
    }

    /**
     * In a backlog that is older than a late commit can be, looking for such commits costs nothing: they stand
     * in front of the cursor. It matters while nothing dead can be removed, and two seconds hold 100,000 rows.
     */
    long start(int r, Reach reach) {
        if (position[r] == BEGINNING) {
            return floor[r];
        }
        long forward = justBefore(position[r]);
        return Math.max(
                floor[r], reach == Reach.RECENT ? Math.min(forward, lateSeen[r] - LATE_COMMIT_MICROS) : forward);
    }

    /** Not if the scan started after it: meanwhile another has found more to do in between. */
    boolean mayRise(int r, ScanPlan plan, int i) {
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
        floor[r] = Math.min(floor[r], justBefore(micros));
        walkConfirms[r] &= walked[r] <= micros;
    }

    void lateSeen(int r, ScanPlan plan, int i, long clockMicros) {
        if (plan.reach() != Reach.FORWARD || plan.starts()[i] <= floor[r]) {
            lateSeen[r] = Math.max(lateSeen[r], clockMicros);
        }
    }

    /** The times that looks see travel as floating point and may be off by one. */
    static long justBefore(long micros) {
        return micros - 1;
    }

    void raiseFloor(int r, long safe) {
        floor[r] = Math.min(proposed[r], safe);
    }

    void forgetFloors() {
        Arrays.fill(floor, BEGINNING);
        Arrays.fill(proposed, BEGINNING);
        Arrays.fill(walked, NO_WALK);
    }
}
