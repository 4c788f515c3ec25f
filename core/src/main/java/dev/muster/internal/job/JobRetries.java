package dev.muster.internal.job;

import dev.muster.job.BackoffPolicy;
import dev.muster.job.RetryLater;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retries of one job: its handler's policy, and the limits set for the job itself. It guards the worker against a policy that throws or
 * returns a wait that no job may have. Muster uses it; applications do not need it.
 */
public record JobRetries(RetryPolicy policy, int maxAttempts, int maxCrashes) {
    private static final Logger log = LoggerFactory.getLogger(JobRetries.class);

    /** The longest wait that an exception or a policy may set. */
    private static final Duration MAX_DELAY = Duration.ofDays(365);

    public JobRetries {
        checkLimits(maxAttempts, maxCrashes);
    }

    /**
     * Options that set only the attempts get the crash limit that belongs to them, not the policy's.
     *
     * @param attempts the limit set for the job itself; null if the policy's limit applies
     * @param crashes likewise
     */
    public static JobRetries of(RetryPolicy policy, @Nullable Integer attempts, @Nullable Integer crashes) {
        int maxAttempts = attempts != null ? attempts : policy.maxAttempts();
        if (crashes != null) {
            return new JobRetries(policy, maxAttempts, crashes);
        }
        int maxCrashes = attempts != null ? RetryPolicy.defaultMaxCrashes(attempts) : policy.maxCrashes();
        return new JobRetries(policy, maxAttempts, maxCrashes);
    }

    public static void checkLimits(int maxAttempts, int maxCrashes) {
        if (maxAttempts < 1 || maxAttempts > 1000) {
            throw new MusterException("maxAttempts must be 1 to 1000, not " + maxAttempts);
        }
        if (maxCrashes < 0 || maxCrashes > 1000) {
            throw new MusterException("maxCrashes must be 0 to 1000, not " + maxCrashes);
        }
    }

    /** The nearest allowed wait. This does not throw, because the exception would hide the handler's own failure. */
    public static Duration withinBounds(Duration wait) {
        Duration shortened = wait.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : wait;
        return shortened.isNegative() ? Duration.ZERO : shortened;
    }

    /** Whether the handler may be entered only once, crash or not. */
    public boolean runsOnce() {
        return maxCrashes == 0;
    }

    /** Whether another attempt follows when the attempt with this number fails in this way. */
    public boolean retries(int attempt, Throwable failure) {
        if (attempt >= maxAttempts) {
            return false;
        }
        try {
            return policy.retries(failure);
        } catch (Throwable e) {
            log.warn(
                    "retry_policy={} failed, the job is tried again",
                    policy.getClass().getName(),
                    e);
            return true;
        }
    }

    /** The wait after this failure of the attempt with this number: from the failure itself or from the policy. */
    public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
        if (failure instanceof RetryLater later) {
            return later.delay();
        }
        try {
            return withinBounds(policy.delayAfter(attempt, failure, random));
        } catch (Throwable e) {
            log.warn(
                    "retry_policy={} failed, the job waits as the default policy says",
                    policy.getClass().getName(),
                    e);
            return BackoffPolicy.DEFAULT.backoffAfter(attempt, random);
        }
    }

    /** The wait before an attempt is repeated that does not count, because the database was away. */
    public Duration delayAfterOutage(RandomGenerator random) {
        BackoffPolicy backoff = policy instanceof BackoffPolicy own ? own : BackoffPolicy.DEFAULT;
        return backoff.backoffAfter(1, random);
    }
}
