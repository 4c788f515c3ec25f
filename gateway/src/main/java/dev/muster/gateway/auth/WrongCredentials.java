package dev.muster.gateway.auth;

import dev.muster.gateway.route.Refusal;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts the wrong keys and tokens of each address, so that nobody can try out many. Thread-safe. */
final class WrongCredentials {
    /** How many an address may send in a minute. */
    static final int MOST = 60;

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_ADDRESSES = 10_000;

    private final Clock clock;
    private final Map<String, Count> counts = new LinkedHashMap<>();

    private record Count(long began, int wrong) {}

    WrongCredentials(Clock clock) {
        this.clock = clock;
    }

    /** @throws Refusal if the address has sent too many */
    synchronized void check(String address) {
        Count count = counts.get(address);
        if (count != null && count.wrong() >= MOST) {
            long left = WINDOW.toNanos() - (clock.nanos() - count.began());
            if (left > 0) {
                throw Refusal.of(429, "too_many_requests", "too many wrong keys came from your address; wait")
                        .retryAfter(Duration.ofNanos(left));
            }
        }
    }

    synchronized void add(String address) {
        long now = clock.nanos();
        Count count = counts.remove(address);
        boolean fresh = count == null || now - count.began() > WINDOW.toNanos();
        counts.put(address, fresh ? new Count(now, 1) : new Count(count.began(), count.wrong() + 1));
        if (counts.size() > MOST_ADDRESSES) {
            counts.remove(counts.keySet().iterator().next());
        }
    }
}
