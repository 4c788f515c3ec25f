package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When and how often a failed job is retried.
 *
 * <pre>{@code
 * RetryPolicy.exponential(5, Duration.ofSeconds(2), Duration.ofMinutes(5))
 *     .withNoRetryOn(UnknownAddress.class)
 *     .withDelays((attempt, failure) -> failure instanceof Throttled t ? t.wait() : null)
 * }</pre>
 *
 * @param maxAttempts how many failures make the job a dead letter, 1 to 1000
 * @param maxCrashes how many deaths of its node make the job a dead letter; with 0 the handler is entered at most once
 * @param kind how the wait grows
 * @param delay the first wait
 * @param cap the longest wait
 * @param jitter the random share of the wait, 0 to 1
 * @param retryOn the failures that are retried; if empty, all are
 * @param noRetryOn failures that end the job at once
 * @param delays a custom rule for the wait after a failure, asked before the backoff; null if there is none
 */
public record RetryPolicy(
        int maxAttempts,
        int maxCrashes,
        Backoff.Kind kind,
        Duration delay,
        Duration cap,
        double jitter,
        List<Class<? extends Throwable>> retryOn,
        List<Class<? extends Throwable>> noRetryOn,
        @Nullable RetryDelay delays) {

    private static final Logger log = LoggerFactory.getLogger(RetryPolicy.class);

    /** The longest wait that an exception or a custom rule may set. */
    static final Duration MAX_DELAY = Duration.ofDays(365);

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
            List.of(),
            null);

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

    /** A policy without a custom rule for the waits. */
    public RetryPolicy(
            int maxAttempts,
            int maxCrashes,
            Backoff.Kind kind,
            Duration delay,
            Duration cap,
            double jitter,
            List<Class<? extends Throwable>> retryOn,
            List<Class<? extends Throwable>> noRetryOn) {
        this(maxAttempts, maxCrashes, kind, delay, cap, jitter, retryOn, noRetryOn, null);
    }

    /** The first failure or the death of its node makes the job a dead letter: the handler is entered at most once. */
    public static RetryPolicy never() {
        return attempts(1);
    }

    /** This many attempts with the default backoff: 1 s, 2 s, 4 s, … up to 5 minutes, ± 20 %. */
    public static RetryPolicy attempts(int maxAttempts) {
        return exponential(maxAttempts, DEFAULT.delay, DEFAULT.cap);
    }

    /** This many attempts, always with the same wait, ± 20 %. */
    public static RetryPolicy fixed(int maxAttempts, Duration delay) {
        return backoff(maxAttempts, Backoff.Kind.FIXED, delay, delay);
    }

    /** This many attempts, with waits of first, 2 × first, 3 × first, … up to the cap, ± 20 %. */
    public static RetryPolicy linear(int maxAttempts, Duration first, Duration cap) {
        return backoff(maxAttempts, Backoff.Kind.LINEAR, first, cap);
    }

    /** This many attempts, with waits of first, 2 × first, 4 × first, … up to the cap, ± 20 %. */
    public static RetryPolicy exponential(int maxAttempts, Duration first, Duration cap) {
        return backoff(maxAttempts, Backoff.Kind.EXPONENTIAL, first, cap);
    }

    private static RetryPolicy backoff(int maxAttempts, Backoff.Kind kind, Duration first, Duration cap) {
        return new RetryPolicy(
                maxAttempts,
                defaultMaxCrashes(maxAttempts),
                kind,
                first,
                cap,
                DEFAULT.jitter,
                List.of(),
                List.of(),
                null);
    }

    /** This policy with another limit for deaths of the job's node; with 0 the handler is entered at most once. */
    public RetryPolicy withMaxCrashes(int crashes) {
        return new RetryPolicy(maxAttempts, crashes, kind, delay, cap, jitter, retryOn, noRetryOn, delays);
    }

    /** This policy with another random share of the waits, 0 to 1: with 0.2 a wait of 10 s becomes 8 to 12 s. */
    public RetryPolicy withJitter(double share) {
        return new RetryPolicy(maxAttempts, maxCrashes, kind, delay, cap, share, retryOn, noRetryOn, delays);
    }

    /** This policy, but only these failures are retried. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final RetryPolicy withRetryOn(Class<? extends Throwable>... failures) {
        return new RetryPolicy(maxAttempts, maxCrashes, kind, delay, cap, jitter, List.of(failures), noRetryOn, delays);
    }

    /** This policy, but these failures end the job at once. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final RetryPolicy withNoRetryOn(Class<? extends Throwable>... failures) {
        return new RetryPolicy(maxAttempts, maxCrashes, kind, delay, cap, jitter, retryOn, List.of(failures), delays);
    }

    /** This policy with a custom rule for the waits, which is asked before the backoff. */
    public RetryPolicy withDelays(RetryDelay rule) {
        return new RetryPolicy(maxAttempts, maxCrashes, kind, delay, cap, jitter, retryOn, noRetryOn, rule);
    }

    static int checkAttempts(int maxAttempts) {
        if (maxAttempts < 1 || maxAttempts > 1000) {
            throw new MusterException("maxAttempts must be 1 to 1000, not " + maxAttempts);
        }
        return maxAttempts;
    }

    /** The default for {@code maxCrashes}: none for a job that may be tried only once. */
    public static int defaultMaxCrashes(int maxAttempts) {
        return maxAttempts == 1 ? 0 : DEFAULT_MAX_CRASHES;
    }

    /** This policy with the limits that were set for the job itself. */
    public RetryPolicy withLimits(@Nullable Integer attempts, @Nullable Integer crashes) {
        int newAttempts = attempts == null ? maxAttempts : attempts;
        int newCrashes = crashes != null ? crashes : attempts == null ? maxCrashes : defaultMaxCrashes(attempts);
        if (newAttempts == maxAttempts && newCrashes == maxCrashes) {
            return this;
        }
        return new RetryPolicy(newAttempts, newCrashes, kind, delay, cap, jitter, retryOn, noRetryOn, delays);
    }

    /** Whether the handler may be entered only once, crash or not. */
    public boolean runsOnce() {
        return maxCrashes == 0;
    }

    /** Whether another attempt follows when the attempt with this number fails in this way. */
    public boolean retries(int attempt, Throwable failure) {
        return attempt < maxAttempts
                && noRetryOn.stream().noneMatch(type -> type.isInstance(failure))
                && (failure instanceof RetryLater
                        || retryOn.isEmpty()
                        || retryOn.stream().anyMatch(type -> type.isInstance(failure)));
    }

    /** The wait after this failure of the attempt with this number: from the failure itself, the custom rule or the backoff. {@code JobRun} asks for it. */
    public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
        if (failure instanceof RetryLater later) {
            return later.delay();
        }
        Duration own = delays == null ? null : byRule(delays, attempt, failure);
        return own == null ? delayAfter(attempt, random) : own;
    }

    /** The nearest allowed wait. This does not throw, because the exception would hide the handler's own failure. */
    static Duration withinBounds(Duration wait) {
        Duration shortened = wait.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : wait;
        return shortened.isNegative() ? Duration.ZERO : shortened;
    }

    private static @Nullable Duration byRule(RetryDelay rule, int attempt, Throwable failure) {
        try {
            Duration wait = rule.after(attempt, failure);
            return wait == null ? null : withinBounds(wait);
        } catch (RuntimeException | Error e) {
            log.warn(
                    "retry_delay={} failed, the backoff is taken instead",
                    rule.getClass().getName(),
                    e);
            return null;
        }
    }

    /** The wait that the backoff gives after the attempt with this number, the first being 1. */
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
