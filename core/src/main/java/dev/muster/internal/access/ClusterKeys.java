package dev.muster.internal.access;

import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.runtime.Clock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the cluster as one node remembers them. Nothing is asked while nobody signs or verifies.
 *
 * <ul>
 *   <li>A node signs with the newest key. If none signs any more, it makes the next one, so keys change by themselves every {@link #SIGNS}.
 *   <li>A node verifies with every key that has not expired. If none fits, it reads the keys again, but not more often than ten times a
 *       second: so a new key is accepted at once, and wrong signatures cost the database little.
 *   <li>What a node remembers is {@link #REMEMBERED} old at most. A key whose row was deleted is of no use after that time.
 * </ul>
 */
public final class ClusterKeys {
    static final Duration SIGNS = Duration.ofDays(1);
    static final Duration ACCEPTED = Duration.ofMinutes(10);
    static final Duration REMEMBERED = Duration.ofSeconds(30);

    /** The least time between two looks at the keys because of signatures that do not fit. */
    public static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private static final int BYTES = 32;

    private final ClusterKeyStore store;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private volatile @Nullable Reading last;

    /** The keys as they were at a time of the node's clock. */
    private record Reading(List<ClusterKey> keys, long asked) {
        boolean isOlderThan(Duration age, long now) {
            return now - asked >= age.toNanos();
        }

        Optional<ClusterKey> signing(long now) {
            return keys.stream()
                    .filter(key -> now - asked < key.signsFor().toNanos())
                    .findFirst();
        }

        Optional<ClusterKey> accepted(long number, long now) {
            return keys.stream()
                    .filter(key -> key.number() == number)
                    .filter(key -> now - asked < key.validFor().toNanos())
                    .findFirst();
        }
    }

    public ClusterKeys(ClusterKeyStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * The key to sign with.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if none is remembered, and the database does not answer
     */
    public ClusterKey toSign() {
        Reading reading = recent();
        return reading.signing(clock.nanos()).orElseGet(this::made);
    }

    private synchronized ClusterKey made() {
        // Another thread may have made it while this one waited.
        Reading known = recent();
        return known.signing(clock.nanos()).orElseGet(() -> {
            byte[] secret = new byte[BYTES];
            random.nextBytes(secret);
            long asked = clock.nanos();
            Reading renewed = new Reading(store.renew(secret, SIGNS, ACCEPTED), asked);
            last = renewed;
            return renewed.signing(asked).orElseThrow(() -> new IllegalStateException("the new key does not sign"));
        });
    }

    /**
     * The key of this cluster with which something was signed.
     *
     * @param number the number of the key
     * @param fits whether the signature is the one that a secret gives
     * @return empty if there is no such key, or none any more
     * @throws dev.muster.runtime.DatabaseUnavailable if the keys have to be read, and the database does not answer
     */
    public Optional<ClusterKey> find(long number, Predicate<byte[]> fits) {
        Reading reading = recent();
        Optional<ClusterKey> found = find(reading, number, fits);
        if (found.isPresent()) {
            return found;
        }
        Reading again = readAgain(BETWEEN_LOOKS);
        return again == reading ? found : find(again, number, fits);
    }

    private Optional<ClusterKey> find(Reading reading, long number, Predicate<byte[]> fits) {
        return reading.accepted(number, clock.nanos()).filter(key -> fits.test(key.secret()));
    }

    /** Another node has refused a signature: the key may be gone. */
    public void forget() {
        last = null;
    }

    private Reading recent() {
        return readAgain(REMEMBERED);
    }

    /** What is remembered, or what the database has now if that is older. */
    private Reading readAgain(Duration age) {
        Reading reading = last;
        return reading == null || reading.isOlderThan(age, clock.nanos()) ? read(age) : reading;
    }

    private synchronized Reading read(Duration age) {
        Reading reading = last;
        if (reading != null && !reading.isOlderThan(age, clock.nanos())) {
            return reading;
        }
        long asked = clock.nanos();
        Reading read = new Reading(List.copyOf(store.live()), asked);
        last = read;
        return read;
    }
}
