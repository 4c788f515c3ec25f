package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import java.util.List;

/**
 * Where one scan claims: parallel arrays, in the order of the claim.
 *
 * @param partial whether more lanes and ranks may have jobs than one scan can ask
 * @param wakes how often there was a wake-up before the reach was decided
 * @param rollbacks how often a scan had been rolled back
 */
record ScanPlan(
        Reach reach,
        boolean trustsXmax,
        boolean partial,
        int wakes,
        int rollbacks,
        short[] ranks,
        List<String> queues,
        List<String> capabilities,
        long[] starts) {

    /** How far back a scan starts. */
    enum Reach {
        /** Exactly at the cursor. */
        FORWARD,
        /** Far enough back to see commits that came late. */
        RECENT
    }

    Lane lane(int i) {
        return new Lane(queues.get(i), capabilities.get(i));
    }
}
