package dev.muster.internal.access;

import java.time.Duration;
import java.util.List;

/** The port to the keys with which nodes sign what they send to each other. */
public interface ClusterKeyStore {

    /**
     * The keys that have not expired, the newest first.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database does not answer
     */
    List<ClusterKey> live();

    /**
     * Makes the next key unless there is one that signs, and removes those that have expired. Of nodes that do this at the same time one
     * makes the key.
     *
     * @param secret 32 random bytes
     * @param signs how long the key signs
     * @param accepted for how long after that what it signed is accepted
     * @return the keys that have not expired, the newest first
     */
    List<ClusterKey> renew(byte[] secret, Duration signs, Duration accepted);

    /**
     * A key that has not expired.
     *
     * @param number grows with each key
     * @param signsFor how long it signs from the question on; zero or less if it does not sign any more
     * @param validFor how long what it signed is accepted from the question on
     */
    record ClusterKey(long number, byte[] secret, Duration signsFor, Duration validFor) {

        /** Does not show the secret. */
        @Override
        public String toString() {
            return "ClusterKey[number=" + number + "]";
        }
    }
}
