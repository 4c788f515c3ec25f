package dev.muster.postgres.internal.claims;

import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** The cursor positions and other knowledge about one lane, by rank. Guarded by its {@link ClaimCursors}. */
public final class LaneCursor {
    /** Where a cursor is before anything was claimed. */
    static final long BEGINNING = -1;

    static final long NO_WALK = Long.MIN_VALUE;

    private static final long LATE_COMMIT_MICROS = TimeUnit.SECONDS.toMicros(2);

    final long[] position = Ranks.filled(BEGINNING);

    /**
     * The last position at which a job was claimed. A scan that finds nothing moves the cursor forward too, but it may have found
     * nothing because the queue was paused at that moment.
     */
    private final long[] claimed = Ranks.filled(BEGINNING);

    /** The server's clock at the last scan for late commits; jobs that appeared since then are not much older than that. */
    private final long[] lateSeen = new long[Ranks.count()];

    /** No job can become claimable before this time any more, unless the clock is set back. */
    final long[] floor = Ranks.filled(BEGINNING);

    /** Becomes the floor when all transactions have ended that were under way when it was proposed. */
    final long[] proposed = Ranks.filled(BEGINNING);

    /** The ranks that may have due jobs now. */
    private final boolean[] due = new boolean[Ranks.count()];

    /** The ranks in which a scan has found no job since the last sign of jobs in them. */
    private final boolean[] empty = new boolean[Ranks.count()];

    /** The ranks that have had jobs; probes name these. */
    final boolean[] used = new boolean[Ranks.count()];

    /** How far probes have walked from the floor over jobs for other nodes; {@link #NO_WALK} if no walk is under way. */
    final long[] walked = Ranks.filled(NO_WALK);

    /** Whether the transactions that the proposal waits for had ended when the walk began. */
    private final boolean[] walkConfirms = new boolean[Ranks.count()];

    /** {@link ClaimCursors#wakes()} at the last sign of jobs in this lane. */
    private int wokenAt;

    /** Whether there was a sign of jobs in this rank, and no scan has found it empty since. */
    boolean expected(int r) {
        return due[r] && !empty[r];
    }

    /** A scan has found no job left in this rank. */
    void scannedInVain(int r, ScanPlan plan) {
        empty[r] |= wokenAt <= plan.wakes();
    }

    /** There may be jobs in this rank. */
    void expect(int r) {
        due[r] = true;
        empty[r] = false;
    }

    void expectAll(int wakes) {
        wokenAt = wakes;
        Arrays.fill(due, true);
        Arrays.fill(empty, false);
    }

    /** Whether there was a sign of jobs in this lane after the wake-up with this number. */
    boolean wokenAfter(int wakes) {
        return wokenAt > wakes;
    }

    void expectNothing() {
        Arrays.fill(due, false);
        Arrays.fill(empty, false);
    }

    /** Where a probe starts. */
    long probeFrom(int r) {
        return walked[r] == NO_WALK ? floor[r] : walked[r];
    }

    /**
     * A probe has found no job for this node from its start to this time, and there is more to walk over.
     *
     * @param confirms whether the transactions that the proposal waits for have ended
     */
    void walkedTo(int r, long micros, boolean confirms) {
        if (walked[r] == NO_WALK) {
            walkConfirms[r] = confirms;
        }
        walked[r] = Math.max(walked[r], micros);
    }

    /** A walk has reached the end. Returns whether the transactions that the proposal waits for had ended when it began. */
    boolean walkEnded(int r, boolean confirms) {
        boolean all = confirms && (walked[r] == NO_WALK || walkConfirms[r]);
        walked[r] = NO_WALK;
        return all;
    }

    /** There are more jobs with one and the same time than a probe can walk over: the rest of them is skipped. */
    void skipInstant() {
        for (int r = 0; r < walked.length; r++) {
            if (walked[r] != NO_WALK) {
                walked[r] += 2;
                walkConfirms[r] = false;
            }
        }
    }

    /**
     * A scan took too long, and what it found is not known. The cursor goes to the given time, and probes walk from where the
     * scan began, over a limited number of jobs at a time. If they find a job, the cursor goes back to it.
     */
    void leapOver(int r, long start, long micros) {
        if (start < micros) {
            position[r] = Math.max(position[r], micros);
            // Probes also find late commits before that time.
            lateSeen[r] = Math.max(lateSeen[r], micros);
            long from = Math.max(start, floor[r]);
            walked[r] = walked[r] == NO_WALK ? from : Math.min(walked[r], from);
            walkConfirms[r] = false;
        }
    }

    /**
     * Where a scan starts. In a backlog that is older than a late commit can be, late commits are in front of the cursor, and
     * so the scan for them costs nothing. This matters while dead rows cannot be removed and two seconds contain 100,000 rows.
     */
    long start(int r, Reach reach) {
        if (position[r] == BEGINNING) {
            return floor[r];
        }
        long forward = justBefore(position[r]);
        return Math.max(
                floor[r], reach == Reach.RECENT ? Math.min(forward, lateSeen[r] - LATE_COMMIT_MICROS) : forward);
    }

    /**
     * Whether a scan may move the cursor forward: not if it started after the cursor, because another has gone back meanwhile.
     */
    boolean mayRise(int r, ScanPlan plan, int i) {
        return plan.starts()[i] <= Math.max(position[r], floor[r]);
    }

    void claimedAt(int r, long micros) {
        position[r] = micros;
        claimed[r] = micros;
    }

    /** Jobs may have been left behind: goes back to the last position at which a job was claimed. */
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

    /** The times in a probe's result are sent as floating point and may be off by one. */
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
