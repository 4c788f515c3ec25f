package dev.muster.testkit;

import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.attempt.AttemptContext;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.HandlerEnd;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobInterceptor;
import dev.muster.runtime.Clock;
import java.util.List;
import java.util.random.RandomGenerator;

/** Calls handlers on the test's own thread, by the rules of nodes. Backoff has no jitter, so that tests can rely on it. */
final class HandlerRun {
    static final Clock CLOCK = Clock.system();

    /** Always returns the middle of the range. */
    private static final RandomGenerator NO_JITTER = () -> Long.MIN_VALUE;

    private final AttemptRules rules;

    HandlerRun(Payloads payloads, ArgsSource source, List<JobInterceptor> interceptors) {
        this.rules = new AttemptRules(Codec.get(), payloads, source, interceptors, () -> NO_JITTER, CLOCK);
    }

    AttemptRules rules() {
        return rules;
    }

    /**
     * Calls the handler. If the test's thread is interrupted, the handler does not see it, because on a node it has a thread of its
     * own; the test's thread is interrupted again when the handler has ended.
     *
     * @param args the args, as the rules have opened them
     */
    HandlerEnd call(TestAttempt attempt, AttemptContext context, OpenArgs args) {
        boolean testInterrupted = Thread.interrupted();
        try {
            return rules.call(attempt, context, args);
        } finally {
            if (testInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What becomes of the job. If writing its result breaks off, the attempt has failed, as it has on a node. */
    Outcome outcome(TestAttempt attempt, HandlerEnd ended) {
        try {
            return rules.outcome(attempt, ended);
        } catch (Throwable e) {
            return rules.failure(attempt, e);
        }
    }
}
