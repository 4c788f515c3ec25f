package dev.muster.internal.job.store;

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
 * @param keepsPlace whether its claim takes up a place that is limited in number, in a queue or in a group. Such a job keeps its claim until
 *     its handler has returned, even if the handler ignores its interruption: otherwise more handlers than allowed would run
 * @param concurrencyGroup the {@linkplain ConcurrencyGroup group} that it belongs to; null if it belongs to none
 * @param trace the traceparent that it carries; null if it carries none
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
        long waitedMicros,
        boolean keepsPlace,
        @Nullable String concurrencyGroup,
        @Nullable String trace) {

    /** A job without a limited place and without a trace, of which it is not known how long it waited. */
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
                0,
                false,
                null,
                null);
    }

    /** This job with a place that is limited in number. */
    public ClaimedJob keepingPlace() {
        return new ClaimedJob(
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
                waitedMicros,
                true,
                concurrencyGroup,
                trace);
    }

    /** This job with a trace. */
    public ClaimedJob withTrace(@Nullable String trace) {
        return new ClaimedJob(
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
                waitedMicros,
                keepsPlace,
                concurrencyGroup,
                trace);
    }

    /** Whether a node may run only one such job at a time, because it may be the one that kills its nodes. */
    public boolean runsAlone() {
        return suspect && crashes > 0;
    }

    public JobId id() {
        return claim.id();
    }
}
