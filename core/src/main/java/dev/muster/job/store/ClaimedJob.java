package dev.muster.job.store;

import dev.muster.job.Fence;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job as returned by a claim.
 *
 * @param timeline the timeline of the server on which it was claimed; part of the {@link Fence}
 * @param attempt the number of the attempt that this claim is for
 * @param suspect whether an earlier claim of the job died with its node and the job may have been the cause
 * @param args null if args and metadata are too large to come with the claim; {@link ClaimStore#content} reads them when the job
 *     starts
 * @param waitedMicros how long it had been claimable, by the database's clock
 */
public record ClaimedJob(
        ClaimRef claim,
        long timeline,
        String name,
        Lane lane,
        int attempt,
        @Nullable Integer maxAttempts,
        @Nullable Integer maxCrashes,
        int crashes,
        boolean suspect,
        @Nullable Duration timeout,
        @Nullable String args,
        @Nullable String metadata,
        long waitedMicros) {

    /** A job of which it is not known how long it waited. */
    public ClaimedJob(
            ClaimRef claim,
            long timeline,
            String name,
            Lane lane,
            int attempt,
            @Nullable Integer maxAttempts,
            @Nullable Integer maxCrashes,
            int crashes,
            boolean suspect,
            @Nullable Duration timeout,
            @Nullable String args,
            @Nullable String metadata) {
        this(
                claim,
                timeline,
                name,
                lane,
                attempt,
                maxAttempts,
                maxCrashes,
                crashes,
                suspect,
                timeout,
                args,
                metadata,
                0);
    }

    /** Whether a node may run only one such job at a time, because it may be the one that kills its nodes. */
    public boolean runsAlone() {
        return suspect && crashes > 0;
    }

    public JobId id() {
        return claim.id();
    }
}
