package dev.muster.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked request, as the store takes it.
 *
 * @param idGiven whether the caller chose the id, and so may be sending it again
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
        List<JobId> dependsOn) {}
