package dev.muster.internal.process;

import dev.muster.job.RetryPolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** A handler's own policy, which does not decide where the child process has decided already. */
record ProcessRetries(RetryPolicy policy) implements RetryPolicy {

    @Override
    public boolean retries(Throwable failure) {
        if (failure instanceof ProcessFailure child && child.retried() != null) {
            return child.retried();
        }
        return policy.retries(failure);
    }

    @Override
    public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
        Duration decided = failure instanceof ProcessFailure child ? child.delay() : null;
        return decided != null ? decided : policy.delayAfter(attempt, failure, random);
    }

    @Override
    public int maxAttempts() {
        return policy.maxAttempts();
    }

    @Override
    public int maxCrashes() {
        return policy.maxCrashes();
    }
}
