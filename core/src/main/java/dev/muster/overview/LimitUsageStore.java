package dev.muster.overview;

import java.util.List;
import java.util.Optional;

/** The port to how far lines and rate limits are used. Everything is read where people read, a bounded number of rows. */
public interface LimitUsageStore {

    /**
     * Lines that have jobs, in the order of their names. Counts end at a bound.
     *
     * @param limit how many at most
     * @param after only lines after this one; empty for the first
     */
    LineUsage.Page lines(int limit, Optional<String> after);

    /**
     * The rate limits of which permits were taken in the current window, the most used first.
     *
     * @param limit how many at most
     */
    List<RateLimitUsage> rateLimits(int limit);
}
