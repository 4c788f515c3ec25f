package dev.muster.internal.job.store;

import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A checked request to enqueue a job, for the store.
 *
 * @param idGiven whether the caller chose the id and so may be sending it again
 * @param options with a queue, a capability and a priority; the limits may be null, then the handler's apply
 * @param args JSON, or the envelope of encrypted JSON
 * @param metadata JSON, or null if the job has none
 * @param key in the form that {@link TenantKey} gives it
 * @param fingerprint what is compared between jobs with the same key; null if the args themselves are compared
 * @param dependsOn jobs that must have completed first
 * @param dependsOnAnyOutcome jobs that must have ended first, with any outcome; none of them is in {@code dependsOn}
 * @param batch the batch that it belongs to; null if it belongs to none
 * @param concurrencyGroup the {@linkplain ConcurrencyGroup group} that it belongs to; null if it belongs to none
 * @param trace the traceparent that it carries; null if it carries none
 * @param placedBy the tenant whose caller has named the nodes that may run it; null if its handler or the application has
 */
public record NewJob(
        JobId id,
        boolean idGiven,
        String name,
        JobOptions options,
        Timing timing,
        String args,
        @Nullable String metadata,
        List<String> tags,
        @Nullable String key,
        @Nullable ArgsFingerprint fingerprint,
        List<JobId> dependsOn,
        List<JobId> dependsOnAnyOutcome,
        @Nullable BatchId batch,
        @Nullable String concurrencyGroup,
        @Nullable String trace,
        @Nullable String placedBy) {

    /** A job that belongs to no batch and no group and carries no trace. */
    public NewJob(
            JobId id,
            boolean idGiven,
            String name,
            JobOptions options,
            Timing timing,
            String args,
            @Nullable String metadata,
            List<String> tags,
            @Nullable String key,
            @Nullable ArgsFingerprint fingerprint,
            List<JobId> dependsOn,
            List<JobId> dependsOnAnyOutcome) {
        this(
                id,
                idGiven,
                name,
                options,
                timing,
                args,
                metadata,
                tags,
                key,
                fingerprint,
                dependsOn,
                dependsOnAnyOutcome,
                null,
                null,
                null,
                null);
    }

    public NewJob {
        Objects.requireNonNull(options.queue(), "queue");
        Objects.requireNonNull(options.capability(), "capability");
        Objects.requireNonNull(options.priority(), "priority");
    }

    /** This job with another trace. */
    public NewJob withTrace(@Nullable String trace) {
        return new NewJob(
                id,
                idGiven,
                name,
                options,
                timing,
                args,
                metadata,
                tags,
                key,
                fingerprint,
                dependsOn,
                dependsOnAnyOutcome,
                batch,
                concurrencyGroup,
                trace,
                placedBy);
    }

    /** The idempotency key as its caller wrote it; null if it has none. */
    public @Nullable String shownKey() {
        return key == null ? null : TenantKey.shown(key);
    }

    public Lane lane() {
        return options.lane();
    }

    public Priority priority() {
        return options.priority();
    }

    /** Whether it waits for other jobs. */
    public boolean isDependent() {
        return !dependsOn.isEmpty() || !dependsOnAnyOutcome.isEmpty();
    }

    /** All jobs that it waits for. */
    public List<JobId> parents() {
        return Stream.concat(dependsOn.stream(), dependsOnAnyOutcome.stream()).toList();
    }

    /**
     * When a job is due and when it expires. A duration counts from the enqueue, by the database's clock; at most one of a duration
     * and a time is set.
     */
    public record Timing(
            @Nullable Duration delay,
            @Nullable Instant at,
            @Nullable Duration expiresIn,
            @Nullable Instant expiresAt) {

        /** Due now, and never expires. */
        public static final Timing NOW = new Timing(null, null, null, null);
    }
}
