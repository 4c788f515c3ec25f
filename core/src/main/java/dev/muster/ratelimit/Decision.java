package dev.muster.ratelimit;

import java.time.Duration;

/**
 * The answer to a call for permits.
 *
 * @param allowed whether the caller has the permits; otherwise none were taken
 * @param remaining how many permits of the window are left after this call, as far as the node knows. Other callers may have taken them
 *     meanwhile, and with {@code reserved} other nodes may hold them
 * @param retryAfter how long to wait until the next window begins; zero if allowed
 */
public record Decision(boolean allowed, int remaining, Duration retryAfter) {

    public static Decision allow(int remaining) {
        return new Decision(true, remaining, Duration.ZERO);
    }

    public static Decision refuse(int remaining, Duration retryAfter) {
        return new Decision(false, remaining, retryAfter);
    }
}
