package dev.muster.gateway.internal.auth;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts the wrong keys and tokens of each address, so that nobody can try out many. Thread-safe.
 *
 * <p>Many callers may share one address, such as that of a load balancer. Those that this gateway has accepted before are let through:
 * somebody who sends wrong keys on purpose must not lock out the others. Their keys and tokens are checked all the same.
 */
final class WrongCredentials {
    /** How many an address may send in a minute. */
    static final int MOST = 60;

    /** How many keys and tokens are remembered as accepted; the one that was accepted first is forgotten first. */
    static final int MOST_ACCEPTED = 10_000;

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_ADDRESSES = 10_000;

    private final Clock clock;
    private final Map<String, Count> counts = new LinkedHashMap<>();

    /** The SHA-256 of keys and tokens. */
    private final Set<String> accepted = new LinkedHashSet<>();

    private record Count(long began, int wrong) {}

    WrongCredentials(Clock clock) {
        this.clock = clock;
    }

    /** @throws Refusal if the address has sent too many, and what it shows now was not accepted before */
    synchronized void check(String address, String shown) {
        Count count = counts.get(address);
        if (count != null && count.wrong() >= MOST) {
            long left = WINDOW.toNanos() - (clock.nanos() - count.began());
            if (left > 0 && !accepted.contains(hash(shown))) {
                throw Refusal.of(429, "too_many_requests", "too many wrong keys came from your address; wait")
                        .retryAfter(Duration.ofNanos(left));
            }
        }
    }

    void accepted(String shown) {
        String hash = hash(shown);
        synchronized (this) {
            if (accepted.add(hash) && accepted.size() > MOST_ACCEPTED) {
                accepted.remove(accepted.iterator().next());
            }
        }
    }

    synchronized void add(String address, String shown) {
        accepted.remove(hash(shown));
        long now = clock.nanos();
        Count count = counts.remove(address);
        boolean fresh = count == null || now - count.began() > WINDOW.toNanos();
        counts.put(address, fresh ? new Count(now, 1) : new Count(count.began(), count.wrong() + 1));
        if (counts.size() > MOST_ADDRESSES) {
            counts.remove(counts.keySet().iterator().next());
        }
    }

    private static String hash(String shown) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(shown.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
