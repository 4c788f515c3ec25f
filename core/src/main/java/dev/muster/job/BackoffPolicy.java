package dev.muster.job;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.job.JobRetries;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retry policies that Muster brings along: the wait stays the same or grows from attempt to attempt. {@link RetryPolicy} has methods
 * that create them, such as {@link RetryPolicy#exponential}; each {@code with…} method returns a changed copy.
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
public record BackoffPolicy(
        int maxAttempts,
        int maxCrashes,
        Backoff.Kind kind,
        Duration delay,
        Duration cap,
        double jitter,
        List<Class<? extends Throwable>> retryOn,
        List<Class<? extends Throwable>> noRetryOn,
        @Nullable RetryDelay delays)
        implements RetryPolicy {

    private static final Logger log = LoggerFactory.getLogger(BackoffPolicy.class);

    private static final double DEFAULT_JITTER = 0.2;

    /** 3 attempts, with waits of 1 s, 2 s, 4 s, … up to 5 minutes, ± 20 %. */
    public static final BackoffPolicy DEFAULT = RetryPolicy.attempts(DEFAULT_MAX_ATTEMPTS);

    public BackoffPolicy {
        JobRetries.checkLimits(maxAttempts, maxCrashes);
        if (delay.isNegative() || cap.compareTo(delay) < 0) {
            throw new MusterException("backoff delay " + delay + " must not be negative nor above its cap " + cap);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new MusterException("backoff jitter must be 0 to 1, not " + jitter);
        }
        retryOn = List.copyOf(retryOn);
        noRetryOn = List.copyOf(noRetryOn);
    }

    /** The policy of an annotated method, which retries all failures. A negative {@code maxCrashes} stands for the default. */
    public static BackoffPolicy of(int maxAttempts, int maxCrashes, Backoff backoff) {
        BackoffPolicy policy = RetryPolicy.backoff(
                        maxAttempts,
                        backoff.kind(),
                        DurationText.parse(backoff.delay()),
                        DurationText.parse(backoff.cap()))
                .withJitter(backoff.jitter());
        return maxCrashes < 0 ? policy : policy.withMaxCrashes(maxCrashes);
    }

    /** A policy that retries all failures, with waits that grow as the kind says, ± 20 %. */
    public BackoffPolicy(int maxAttempts, int maxCrashes, Backoff.Kind kind, Duration delay, Duration cap) {
        this(maxAttempts, maxCrashes, kind, delay, cap, DEFAULT_JITTER, List.of(), List.of(), null);
    }

    /** This policy with another limit for deaths of the job's node; with 0 the handler is entered at most once. */
    public BackoffPolicy withMaxCrashes(int crashes) {
        return new BackoffPolicy(maxAttempts, crashes, kind, delay, cap, jitter, retryOn, noRetryOn, delays);
    }

    /** This policy with another random share of the waits, 0 to 1: with 0.2 a wait of 10 s becomes 8 to 12 s. */
    public BackoffPolicy withJitter(double share) {
        return new BackoffPolicy(maxAttempts, maxCrashes, kind, delay, cap, share, retryOn, noRetryOn, delays);
    }

    /** This policy, but only these failures are retried. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final BackoffPolicy withRetryOn(Class<? extends Throwable>... failures) {
        return new BackoffPolicy(
                maxAttempts, maxCrashes, kind, delay, cap, jitter, List.of(failures), noRetryOn, delays);
    }

    /** This policy, but these failures end the job at once. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final BackoffPolicy withNoRetryOn(Class<? extends Throwable>... failures) {
        return new BackoffPolicy(maxAttempts, maxCrashes, kind, delay, cap, jitter, retryOn, List.of(failures), delays);
    }

    /** This policy with a custom rule for the waits, which is asked before the backoff. */
    public BackoffPolicy withDelays(RetryDelay rule) {
        return new BackoffPolicy(maxAttempts, maxCrashes, kind, delay, cap, jitter, retryOn, noRetryOn, rule);
    }

    @Override
    public boolean retries(Throwable failure) {
        return noRetryOn.stream().noneMatch(type -> type.isInstance(failure))
                && (failure instanceof RetryLater
                        || retryOn.isEmpty()
                        || retryOn.stream().anyMatch(type -> type.isInstance(failure)));
    }

    /** The wait that the custom rule gives, or else the backoff. */
    @Override
    public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
        Duration own = delays == null ? null : byRule(delays, attempt, failure);
        return own == null ? backoffAfter(attempt, random) : own;
    }

    private static @Nullable Duration byRule(RetryDelay rule, int attempt, Throwable failure) {
        try {
            Duration wait = rule.after(attempt, failure);
            return wait == null ? null : JobRetries.withinBounds(wait);
        } catch (Throwable e) {
            log.warn(
                    "retry_delay={} failed, the backoff is taken instead",
                    rule.getClass().getName(),
                    e);
            return null;
        }
    }

    /** The wait that the backoff gives after the attempt with this number, the first being 1. */
    public Duration backoffAfter(int attempt, RandomGenerator random) {
        double factor = switch (kind) {
            case FIXED -> 1;
            case LINEAR -> attempt;
            case EXPONENTIAL -> Math.pow(2, Math.min(attempt - 1, 62));
        };
        double millis = Math.min(
                JobRetries.withinBounds(delay).toMillis() * factor,
                JobRetries.withinBounds(cap).toMillis());
        double spread = millis * jitter;
        return Duration.ofMillis(Math.round(millis - spread + 2 * spread * random.nextDouble()));
    }
}
