package dev.muster.internal.overview;

import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import java.util.List;
import java.util.Optional;

/** The port to how far groups and rate limits are used. Everything is read where people read, a bounded number of rows. */
public interface LimitUsageStore {

    /**
     * Concurrency groups that have jobs, in the order of their names. Counts end at a bound.
     *
     * @param limit how many at most
     * @param after only groups after this one; empty for the first
     */
    ConcurrencyGroupUsage.Page concurrencyGroups(int limit, Optional<String> after);

    /**
     * The rate limits of which permits were taken in the current window, the most used first.
     *
     * @param limit how many at most
     */
    List<RateLimitUsage> rateLimits(int limit);
}
