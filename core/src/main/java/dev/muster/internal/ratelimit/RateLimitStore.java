package dev.muster.internal.ratelimit;

import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.time.Duration;
import java.time.Instant;

/** The port to the counts of permits in the database. */
public interface RateLimitStore {

    /**
     * Takes permits of the current window, by the database's clock. Calls of several threads share a statement; each is decided as if
     * they came one after the other.
     *
     * <p>The count is committed when this returns. If it throws, the permits may have been counted, and nobody has them.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database did not answer
     */
    Taken take(Ask ask);

    /**
     * Asks for permits.
     *
     * @param need fewer are not taken; 0 only if {@code want} is 0: then nothing is taken, and the answer says how things stand
     * @param want as many are taken, or what is left if that is less
     */
    record Ask(RateKey key, RateLimit limit, int need, int want) {}

    /**
     * What was taken.
     *
     * @param granted {@code need} to {@code want} permits, or 0
     * @param remaining how many are left after it
     * @param window when the window began, which tells it from others
     * @param left how long the window still was when the database decided
     */
    record Taken(int granted, int remaining, Instant window, Duration left) {}
}
