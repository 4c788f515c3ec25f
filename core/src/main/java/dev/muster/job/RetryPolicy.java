package dev.muster.job;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decides how often a failed job is tried again, and how long it waits before each attempt. The policies that come with Muster
 * ({@link BackoffPolicy}) wait longer from attempt to attempt:
 *
 * <pre>{@code
 * RetryPolicy.exponential(5, Duration.ofSeconds(2), Duration.ofMinutes(5))
 *     .withNoRetryOn(UnknownAddress.class)
 *     .withDelays((attempt, failure) -> failure instanceof Throttled t ? t.wait() : null)
 * }</pre>
 *
 * <p>Implement this interface for a policy of your own, and give it to {@link JobHandler.Builder#retry}; an annotation can only name a
 * {@link Backoff}. The policy is asked when an attempt has failed ({@code JobRetries}). Many threads call it at the same time, among them the one
 * that enforces timeouts: it must return at once, without waiting for anything. Its limits must not change. If {@link #retries} throws, the
 * error is logged and the job is tried again. If {@link #delayAfter} throws or returns null, the error is logged and the job waits as
 * {@link BackoffPolicy#DEFAULT} says.
 */
@FunctionalInterface
public interface RetryPolicy {
    // No constant here may be a policy: creating it would initialize BackoffPolicy, which initializes this interface.
    // Two threads that start at opposite ends would wait for each other forever.
    int DEFAULT_MAX_ATTEMPTS = 3;
    int DEFAULT_MAX_CRASHES = 5;

    /**
     * The wait after this failure. Muster does not ask after a {@link RetryLater}, because that exception carries the wait itself.
     *
     * @param attempt the number of the attempt that failed, the first being 1
     * @param random the source for a random share of the wait, so that jobs that failed together do not all come back together
     * @return the wait; a negative one counts as zero, one above 365 days as 365 days
     */
    Duration delayAfter(int attempt, Throwable failure, RandomGenerator random);

    /** Whether this failure is worth another attempt. Muster asks only if an attempt is left. */
    default boolean retries(Throwable failure) {
        return true;
    }

    /** How many failures make the job a dead letter, 1 to 1000. A limit set for the job itself takes precedence. */
    default int maxAttempts() {
        return DEFAULT_MAX_ATTEMPTS;
    }

    /**
     * How many deaths of its node make the job a dead letter, 0 to 1000; with 0 the handler is entered at most once. A limit set for the
     * job itself takes precedence.
     */
    default int maxCrashes() {
        return defaultMaxCrashes(maxAttempts());
    }

    /** The first failure or the death of its node makes the job a dead letter: the handler is entered at most once. */
    static BackoffPolicy never() {
        return attempts(1);
    }

    /** This many attempts with the default backoff: 1 s, 2 s, 4 s, … up to 5 minutes, ± 20 %. */
    static BackoffPolicy attempts(int maxAttempts) {
        return exponential(maxAttempts, Duration.ofSeconds(1), Duration.ofMinutes(5));
    }

    /** This many attempts, always with the same wait, ± 20 %. */
    static BackoffPolicy fixed(int maxAttempts, Duration delay) {
        return backoff(maxAttempts, Backoff.Kind.FIXED, delay, delay);
    }

    /** This many attempts, with waits of first, 2 × first, 3 × first, … up to the cap, ± 20 %. */
    static BackoffPolicy linear(int maxAttempts, Duration first, Duration cap) {
        return backoff(maxAttempts, Backoff.Kind.LINEAR, first, cap);
    }

    /** This many attempts, with waits of first, 2 × first, 4 × first, … up to the cap, ± 20 %. */
    static BackoffPolicy exponential(int maxAttempts, Duration first, Duration cap) {
        return backoff(maxAttempts, Backoff.Kind.EXPONENTIAL, first, cap);
    }

    /** This many attempts, with waits that grow from the first up to the cap as the kind says, ± 20 %. */
    static BackoffPolicy backoff(int maxAttempts, Backoff.Kind kind, Duration first, Duration cap) {
        return new BackoffPolicy(maxAttempts, defaultMaxCrashes(maxAttempts), kind, first, cap);
    }

    /** The default for {@code maxCrashes}: none for a job that may be tried only once. */
    static int defaultMaxCrashes(int maxAttempts) {
        return maxAttempts == 1 ? 0 : DEFAULT_MAX_CRASHES;
    }
}
