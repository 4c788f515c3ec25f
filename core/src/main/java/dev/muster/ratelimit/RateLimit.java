package dev.muster.ratelimit;

import java.time.Duration;

/**
 * At most this many permits in each window of this length.
 *
 * @param permits 1 to 1,000,000,000
 * @param window 1 ms to 366 days, in whole milliseconds
 */
public record RateLimit(int permits, Duration window) {
    private static final int MOST = 1_000_000_000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    /** @throws InvalidRateLimit if a value is out of its bounds */
    public RateLimit {
        if (permits < 1 || permits > MOST) {
            throw new InvalidRateLimit("a rate limit allows 1 to " + MOST + " permits in a window, not " + permits);
        }
        if (window.compareTo(SHORTEST) < 0 || window.compareTo(LONGEST) > 0) {
            throw new InvalidRateLimit("the window of a rate limit is 1 ms to 366 days long, not " + window);
        }
        if (window.toNanosPart() % 1_000_000 != 0) {
            throw new InvalidRateLimit("the window of a rate limit has whole milliseconds, not " + window);
        }
    }

    public static RateLimit perSecond(int permits) {
        return new RateLimit(permits, Duration.ofSeconds(1));
    }

    public static RateLimit perMinute(int permits) {
        return new RateLimit(permits, Duration.ofMinutes(1));
    }

    public static RateLimit perHour(int permits) {
        return new RateLimit(permits, Duration.ofHours(1));
    }

    /** Days begin at midnight UTC. */
    public static RateLimit perDay(int permits) {
        return new RateLimit(permits, Duration.ofDays(1));
    }

    @Override
    public String toString() {
        return permits + " per " + window;
    }
}
