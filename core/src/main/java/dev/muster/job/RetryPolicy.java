package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a failed job is tried again.
 *
 * @param maxAttempts failures that make a dead letter, 1 to 1000
 * @param maxCrashes deaths of its node that make a dead letter; 0: the handler is entered at most once
 * @param kind how the wait grows
 * @param delay the first wait
 * @param cap the longest wait
 * @param jitter the random share of the wait, 0 to 1
 * @param retryOn failures worth retrying; empty: all
 * @param noRetryOn failures that end the job at once
 */
public record RetryPolicy(
        int maxAttempts,
        int maxCrashes,
        Backoff.Kind kind,
        Duration delay,
        Duration cap,
        double jitter,
        List<Class<? extends Throwable>> retryOn,
        List<Class<? extends Throwable>> noRetryOn) {

    public static final int DEFAULT_MAX_ATTEMPTS = 3;
    public static final int DEFAULT_MAX_CRASHES = 5;

    public static final RetryPolicy DEFAULT = new RetryPolicy(
            DEFAULT_MAX_ATTEMPTS,
            DEFAULT_MAX_CRASHES,
            Backoff.Kind.EXPONENTIAL,
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            0.2,
            List.of(),
            List.of());

    public RetryPolicy {
        checkAttempts(maxAttempts);
        if (maxCrashes < 0 || maxCrashes > 1000) {
            throw new MusterException("maxCrashes must be 0 to 1000, not " + maxCrashes);
        }
        if (delay.isNegative() || cap.compareTo(delay) < 0) {
            throw new MusterException("backoff delay " + delay + " must not be negative nor above its cap " + cap);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new MusterException("backoff jitter must be 0 to 1, not " + jitter);
        }
        retryOn = List.copyOf(retryOn);
        noRetryOn = List.copyOf(noRetryOn);
    }

    static int checkAttempts(int maxAttempts) {
        if (maxAttempts < 1 || maxAttempts > 1000) {
            throw new MusterException("maxAttempts must be 1 to 1000, not " + maxAttempts);
        }
        return maxAttempts;
    }

    /** The crashes a job may survive when nobody said: none for a job that may be tried only once. */
    public static int defaultMaxCrashes(int maxAttempts) {
        return maxAttempts == 1 ? 0 : DEFAULT_MAX_CRASHES;
    }

    /** This policy with the limits that the job itself carries. */
    public RetryPolicy withLimits(@Nullable Integer attempts, @Nullable Integer crashes) {
        int newAttempts = attempts == null ? maxAttempts : attempts;
        int newCrashes = crashes != null ? crashes : attempts == null ? maxCrashes : defaultMaxCrashes(attempts);
        if (newAttempts == maxAttempts && newCrashes == maxCrashes) {
            return this;
        }
        return new RetryPolicy(newAttempts, newCrashes, kind, delay, cap, jitter, retryOn, noRetryOn);
    }

    /** Whether the handler may be entered only once, crash or not. */
    public boolean runsOnce() {
        return maxCrashes == 0;
    }

    /** Whether this failure, of the attempt with this number, is worth another one. */
    public boolean retries(int attempt, Throwable failure) {
        return attempt < maxAttempts
                && noRetryOn.stream().noneMatch(type -> type.isInstance(failure))
                && (retryOn.isEmpty() || retryOn.stream().anyMatch(type -> type.isInstance(failure)));
    }

    /** The wait after the failure of the attempt with this number, the first being 1. */
    public Duration delayAfter(int attempt, RandomGenerator random) {
        double factor = switch (kind) {
            case FIXED -> 1;
            case LINEAR -> attempt;
            case EXPONENTIAL -> Math.pow(2, Math.min(attempt - 1, 62));
        };
        double millis = Math.min(delay.toMillis() * factor, cap.toMillis());
        double spread = millis * jitter;
        return Duration.ofMillis(Math.round(millis - spread + 2 * spread * random.nextDouble()));
    }
}
