package dev.muster.job.store;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.payload.ArgsFingerprint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A checked request to enqueue a job, for the store.
 *
 * @param idGiven whether the caller chose the id and so may be sending it again
 * @param args JSON, or the envelope of encrypted JSON
 * @param dependsOn jobs that must have completed first
 * @param dependsOnAnyOutcome jobs that must have ended first, with any outcome; none of them is in {@code dependsOn}
 * @param fingerprint what is compared between jobs with the same key; null if the args themselves are compared
 */
public record NewJob(
        JobId id,
        boolean idGiven,
        String name,
        Lane lane,
        Priority priority,
        @Nullable Duration delay,
        @Nullable Instant at,
        String args,
        @Nullable String key,
        @Nullable Integer maxAttempts,
        @Nullable Integer maxCrashes,
        @Nullable Duration timeout,
        @Nullable String metadata,
        List<String> tags,
        @Nullable Instant expiresAt,
        @Nullable Duration expiresIn,
        List<JobId> dependsOn,
        List<JobId> dependsOnAnyOutcome,
        @Nullable ArgsFingerprint fingerprint) {

    /** Whether it waits for other jobs. */
    public boolean isDependent() {
        return !dependsOn.isEmpty() || !dependsOnAnyOutcome.isEmpty();
    }

    /** All jobs that it waits for. */
    public List<JobId> parents() {
        return Stream.concat(dependsOn.stream(), dependsOnAnyOutcome.stream()).toList();
    }

    /** A job without encryption. */
    public NewJob(
            JobId id,
            boolean idGiven,
            String name,
            Lane lane,
            Priority priority,
            @Nullable Duration delay,
            @Nullable Instant at,
            String args,
            @Nullable String key,
            @Nullable Integer maxAttempts,
            @Nullable Integer maxCrashes,
            @Nullable Duration timeout,
            @Nullable String metadata,
            List<String> tags,
            @Nullable Instant expiresAt,
            @Nullable Duration expiresIn,
            List<JobId> dependsOn) {
        this(
                id,
                idGiven,
                name,
                lane,
                priority,
                delay,
                at,
                args,
                key,
                maxAttempts,
                maxCrashes,
                timeout,
                metadata,
                tags,
                expiresAt,
                expiresIn,
                dependsOn,
                List.of(),
                null);
    }
}
