package dev.muster.worker;

import dev.muster.job.DeadLetter;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import dev.muster.job.RetryPolicy;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.job.store.RecoveryStore.Recovered;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reports failed attempts and dead letters to the listener, once the database has accepted them. */
final class FailureReports {
    private final String nodeId;
    private final JobListener listener;

    /** Attempts whose claim was closed before their outcome is written. */
    private final Map<ClaimRef, Attempt> closedEarly = new ConcurrentHashMap<>();

    private record Attempt(ClaimedJob job, int maxAttempts) {
        static Attempt of(OpenClaim claim) {
            return new Attempt(claim.job(), claim.retries().maxAttempts());
        }
    }

    FailureReports(String nodeId, JobListener listener) {
        this.nodeId = nodeId;
        this.listener = listener;
    }

    /** Whether an outcome is reported at all. */
    static boolean concerns(Outcome outcome) {
        return outcome instanceof Outcome.Failed || outcome instanceof Outcome.Retried;
    }

    /** This claim is closed now, before its queued outcome is written. */
    void closing(OpenClaim claim, Outcome outcome) {
        if (concerns(outcome)) {
            closedEarly.put(claim.ref(), Attempt.of(claim));
        }
    }

    /** This job fails before its claim was opened. */
    void closing(ClaimedJob job) {
        int maxAttempts = job.maxAttempts() == null ? RetryPolicy.DEFAULT_MAX_ATTEMPTS : job.maxAttempts();
        closedEarly.put(job.claim(), new Attempt(job, maxAttempts));
    }

    /** The database refused this outcome. */
    void rejected(Outcome outcome) {
        if (concerns(outcome)) {
            closedEarly.remove(outcome.claim());
        }
    }

    /**
     * The database has accepted this outcome.
     *
     * @param claim null if it was closed early
     */
    void accepted(Outcome outcome, @Nullable OpenClaim claim) {
        Attempt attempt = claim != null ? Attempt.of(claim) : closedEarly.remove(outcome.claim());
        if (attempt == null) {
            return;
        }
        ClaimedJob job = attempt.job();
        if (outcome instanceof Outcome.Retried retried) {
            listener.attemptFailed(new FailedAttempt(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    attempt.maxAttempts(),
                    retried.error(),
                    Optional.ofNullable(retried.failure()),
                    retried.delay()));
        } else if (outcome instanceof Outcome.Failed failed) {
            listener.deadLetter(new DeadLetter(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    attempt.maxAttempts(),
                    job.crashes(),
                    nodeId,
                    failed.error(),
                    Optional.ofNullable(failed.failure())));
        }
    }

    /** These jobs were charged a crash. */
    void charged(Collection<Recovered> jobs) {
        jobs.stream()
                .filter(job -> job.status() == JobStatus.FAILED)
                .map(Recovered::asDeadLetter)
                .forEach(listener::deadLetter);
    }
}
