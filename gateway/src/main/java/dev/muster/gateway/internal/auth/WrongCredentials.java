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
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the wrong keys and tokens of each {@link ClientNetwork}, so that trying out many takes little of the node. Thread-safe.
 *
 * <p>Many callers may share one address, such as that of a load balancer, and somebody who sends wrong keys on purpose must not lock out the others.
 * So an address that has sent too many is not refused: what it shows is checked, but only a few at the same time. Those that this gateway has
 * accepted before do not even wait for that.
 */
final class WrongCredentials {
    /** How many an address may send in a minute before {@link #MOST_AT_ONCE} holds. */
    static final int MOST = 60;

    /** How many keys and tokens of an address are checked at the same time once it has sent too many wrong ones. */
    static final int MOST_AT_ONCE = 4;

    /** How many keys and tokens are remembered as accepted; the one that was accepted first is forgotten first. */
    static final int MOST_ACCEPTED = 10_000;

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_ADDRESSES = 10_000;

    private final Clock clock;
    private final Map<String, Count> counts = new LinkedHashMap<>();

    /** The SHA-256 of keys and tokens. */
    private final Set<String> accepted = new LinkedHashSet<>();

    /** What an address has sent. */
    private static final class Count {
        private long began;
        private int wrong;
        private int checking;
    }

    WrongCredentials(Clock clock) {
        this.clock = clock;
    }

    /**
     * Checks what an address shows, and counts it if that fails, or cannot be decided because the keys for it are not there.
     *
     * @param check empty if it is wrong
     * @throws Refusal if the address has sent too many wrong ones, and as many are being checked as may be then
     */
    <T> Optional<T> check(String address, String shown, Supplier<Optional<T>> check) {
        String network = ClientNetwork.of(address);
        String hash = hash(shown);
        Count place = begin(network, hash);
        try {
            Optional<T> found = check.get();
            if (found.isPresent()) {
                accept(hash);
            } else {
                refuse(network, hash);
            }
            return found;
        } catch (Refusal undecided) {
            add(network);
            throw undecided;
        } finally {
            end(place);
        }
    }

    /** @return what has to end; null if the address may send more, or is known to show something that is right */
    private synchronized @Nullable Count begin(String network, String hash) {
        Count count = counts.get(network);
        if (count == null || count.wrong < MOST || isOver(count) || accepted.contains(hash)) {
            return null;
        }
        if (count.checking == MOST_AT_ONCE) {
            throw Refusal.of(429, "too_many_requests", "too many wrong keys came from your address; try again")
                    .retryAfter(Duration.ofSeconds(1));
        }
        count.checking++;
        return count;
    }

    private synchronized void end(@Nullable Count place) {
        if (place != null) {
            place.checking--;
        }
    }

    private boolean isOver(Count count) {
        return clock.nanos() - count.began > WINDOW.toNanos();
    }

    private synchronized void accept(String hash) {
        if (accepted.add(hash) && accepted.size() > MOST_ACCEPTED) {
            accepted.remove(accepted.iterator().next());
        }
    }

    private synchronized void refuse(String network, String hash) {
        accepted.remove(hash);
        add(network);
    }

    /** The address that has sent a wrong one longest ago is forgotten first. */
    private synchronized void add(String network) {
        Count count = counts.remove(network);
        if (count == null) {
            count = new Count();
        }
        if (count.wrong == 0 || isOver(count)) {
            count.began = clock.nanos();
            count.wrong = 0;
        }
        count.wrong++;
        counts.put(network, count);
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
