package dev.muster.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How many permits of a rate limit are used in its current window, as far as the database counts them.
 *
 * @param key such as {@code user/login/ada}
 * @param permits how many there are in each window; empty if that is not known, because the database only counts
 * @param resetsAt when the window ends
 */
public record RateLimitUsage(String key, long used, Optional<Integer> permits, Duration window, Instant resetsAt) {

    public RateLimitUsage permits(int known) {
        return new RateLimitUsage(key, used, Optional.of(known), window, resetsAt);
    }
}
