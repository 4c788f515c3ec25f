package dev.muster.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job as its claimer got it.
 *
 * @param timeline the database's timeline when it was claimed; part of the {@link Fence}
 * @param attempt the attempt this claim is for
 * @param suspect whether an earlier claim of it died with its node
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
        String args,
        @Nullable String metadata) {

    public JobId id() {
        return claim.id();
    }
}
