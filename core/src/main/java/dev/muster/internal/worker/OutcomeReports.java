package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.DeadLetter;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import dev.muster.job.RetryPolicy;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Telemetry.Loss;
import dev.muster.telemetry.Telemetry.Outcome.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports what became of claims, once the database has accepted or refused it: failed attempts and dead letters to the job listener,
 * everything to telemetry. Each claim is reported once, by whoever takes it out of the claim table or out of {@link #closedEarly}.
 */
final class OutcomeReports {
    private final String nodeId;
    private final JobListener listener;
    private final TelemetryListeners telemetry;

    /** Attempts whose claim was closed before their outcome is written: those that are reported, and those of jobs with a group. */
    private final Map<ClaimRef, Attempt> closedEarly = new ConcurrentHashMap<>();

    /** A claim that was closed. */
    record Attempt(ClaimedJob job, int maxAttempts, boolean entered) {
        static Attempt of(OpenClaim claim) {
            return new Attempt(claim.job(), claim.retries().maxAttempts(), claim.entered());
        }
    }

    OutcomeReports(String nodeId, JobListener listener, TelemetryListeners telemetry) {
        this.nodeId = nodeId;
        this.listener = listener;
        this.telemetry = telemetry;
    }

    /** Whether an outcome is reported at all. */
    private boolean concerns(Outcome outcome) {
        return telemetry.isEnabled() || isFailure(outcome);
    }

    private static boolean isFailure(Outcome outcome) {
        return outcome instanceof Outcome.Failed || outcome instanceof Outcome.Retried;
    }

    /** These jobs were claimed and none of them has started. */
    void claimed(Exchange exchange) {
        if (!telemetry.isEnabled() || exchange.claimed().isEmpty()) {
            return;
        }
        List<Telemetry.NewClaim> claims = new ArrayList<>(exchange.claimed().size());
        for (ClaimedJob job : exchange.claimed()) {
            claims.add(new Telemetry.NewClaim(
                    TelemetryListeners.claimOf(job),
                    Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(job.waitedMicros())),
                    job.crashes()));
        }
        telemetry.claimed(new Telemetry.Claims(List.copyOf(claims)));
    }

    /** This claim left the table before its outcome is queued. */
    void closing(OpenClaim claim, Outcome outcome) {
        if (concerns(outcome) || claim.job().concurrencyGroup() != null) {
            closedEarly.put(claim.ref(), Attempt.of(claim));
        }
    }

    /** This job fails before its claim was opened. */
    void closing(ClaimedJob job) {
        int maxAttempts = job.maxAttempts() == null ? RetryPolicy.DEFAULT_MAX_ATTEMPTS : job.maxAttempts();
        closedEarly.put(job.claim(), new Attempt(job, maxAttempts, false));
    }

    /** Takes a claim out of the table whose outcome is queued already. A pump may be closing the claim at the same time. */
    void closeEarly(OpenClaim claim, ClaimTable claims) {
        if (!telemetry.isEnabled() && claim.job().concurrencyGroup() == null) {
            claims.remove(claim.ref());
            return;
        }
        Attempt attempt = Attempt.of(claim);
        boolean added = closedEarly.putIfAbsent(claim.ref(), attempt) == null;
        if (claims.remove(claim.ref()) == null && added) {
            closedEarly.remove(claim.ref(), attempt);
        }
    }

    /**
     * The database has answered this outcome.
     *
     * @param stored what the database has stored instead; the same if it was rejected
     * @param claim null if it was closed early
     * @return the attempt to report; null if there is nothing to report, or if it was reported before. If the claim was closed early and its
     *     job has a group, the attempt is returned in any case
     */
    @Nullable
    Attempt closed(Outcome outcome, Outcome stored, @Nullable OpenClaim claim) {
        if (claim == null) {
            return closedEarly.remove(outcome.claim());
        }
        if (!concerns(outcome) && !isFailure(stored)) {
            return null;
        }
        closedEarly.remove(outcome.claim());
        return Attempt.of(claim);
    }

    /** The database has refused the outcome of this attempt. */
    void refused(Attempt attempt) {
        if (telemetry.isEnabled()) {
            telemetry.lost(new Loss(TelemetryListeners.claimOf(attempt.job()), Loss.Reason.OUTCOME_REFUSED));
        }
    }

    /** This claim left the table without an outcome, because it is no longer current. */
    void lost(OpenClaim claim) {
        if (telemetry.isEnabled()) {
            telemetry.lost(new Loss(TelemetryListeners.claimOf(claim.job()), Loss.Reason.NO_LONGER_CURRENT));
        }
    }

    /** This claim left the table, because its outcome is in the database. */
    void accepted(OpenClaim claim, Outcome stored) {
        if (telemetry.isEnabled()) {
            accepted(Attempt.of(claim), stored);
        }
    }

    /** The database has accepted the outcome of this attempt. */
    void accepted(Attempt attempt, Outcome stored) {
        if (!telemetry.isEnabled()) {
            return;
        }
        Kind kind = Kind.COMPLETED;
        @Nullable Duration delay = null;
        @Nullable String error = null;
        @Nullable Throwable failure = null;
        if (stored instanceof Outcome.Failed failed) {
            kind = Kind.FAILED;
            error = failed.error();
            failure = failed.failure();
        } else if (stored instanceof Outcome.Retried retried) {
            kind = Kind.RETRIED;
            delay = retried.delay();
            error = retried.error();
            failure = retried.failure();
        } else if (stored instanceof Outcome.Snoozed snoozed) {
            kind = Kind.SNOOZED;
            delay = snoozed.delay();
            error = snoozed.error();
        } else if (stored instanceof Outcome.Cancelled cancelled) {
            kind = Kind.CANCELLED;
            error = cancelled.reason();
        } else if (stored instanceof Outcome.Released) {
            kind = Kind.RELEASED;
        } else if (stored instanceof Outcome.OfFeature) {
            kind = Kind.OF_FEATURE;
        }
        telemetry.accepted(new Telemetry.Outcome(
                TelemetryListeners.claimOf(attempt.job()),
                kind,
                attempt.entered(),
                Optional.ofNullable(delay),
                Optional.ofNullable(error),
                Optional.ofNullable(failure).map(thrown -> thrown.getClass().getName())));
    }

    /** Tells the job listener of a failure that the database has accepted. */
    void failed(Attempt attempt, Outcome outcome) {
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

    /** These jobs were charged a crash, and that is committed. */
    void charged(Collection<Recovered> jobs) {
        telemetry.recovered(jobs);
        jobs.stream()
                .filter(job -> job.status() == JobStatus.FAILED)
                .map(Recovered::asDeadLetter)
                .forEach(listener::deadLetter);
    }
}
