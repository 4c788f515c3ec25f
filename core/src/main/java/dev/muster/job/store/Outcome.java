package dev.muster.job.store;

import dev.muster.job.JobInfo.Progress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a claim, to be written under its token. */
public sealed interface Outcome {

    ClaimRef claim();

    /** What the handler said last about its progress, if that is to be written with the outcome; else null. */
    default @Nullable Progress progress() {
        return null;
    }

    /** This outcome with the last progress of its handler; of one that was not entered, or is run again at once, none is kept. */
    default Outcome withProgress(Progress progress) {
        return this;
    }

    /**
     * The handler returned.
     *
     * @param result JSON
     * @param ran how long the handler took; null: not known
     */
    record Completed(
            ClaimRef claim,
            @Nullable String result,
            @Nullable Duration ran,
            @Nullable Progress progress) implements Outcome {
        public Completed(ClaimRef claim, @Nullable String result, @Nullable Duration ran) {
            this(claim, result, ran, null);
        }

        public Completed(ClaimRef claim, @Nullable String result) {
            this(claim, result, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Completed(claim, result, ran, last);
        }
    }

    /**
     * The handler failed and the job is not tried again.
     *
     * @param ran how long the handler took; null: it was not entered
     * @param failure for whoever listens; null: there is no exception. Not written
     */
    record Failed(
            ClaimRef claim,
            String error,
            @Nullable Duration ran,
            @Nullable Progress progress,
            @Nullable Throwable failure)
            implements Outcome {
        public Failed(ClaimRef claim, String error, @Nullable Duration ran) {
            this(claim, error, ran, null, null);
        }

        public Failed(ClaimRef claim, String error) {
            this(claim, error, null, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Failed(claim, error, ran, last, failure);
        }
    }

    /**
     * The handler failed and the job is tried again after a delay.
     *
     * @param failure for whoever listens; null: there is no exception. Not written
     */
    record Retried(
            ClaimRef claim,
            String error,
            Duration delay,
            @Nullable Progress progress,
            @Nullable Throwable failure) implements Outcome {
        public Retried(ClaimRef claim, String error, Duration delay) {
            this(claim, error, delay, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Retried(claim, error, delay, last, failure);
        }
    }

    /**
     * The handler asked to be run again later, or could not be given its job; no attempt is counted.
     *
     * @param error why it could not be given its job; null: the handler was entered and asked for it
     */
    record Snoozed(
            ClaimRef claim,
            Duration delay,
            @Nullable String error,
            @Nullable Progress progress) implements Outcome {
        public Snoozed(ClaimRef claim, Duration delay, @Nullable String error) {
            this(claim, delay, error, null);
        }

        public Snoozed(ClaimRef claim, Duration delay) {
            this(claim, delay, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Snoozed(claim, delay, error, last);
        }
    }

    /** The job goes back in line as if it had not been claimed: no attempt, no crash. */
    record Released(ClaimRef claim) implements Outcome {}

    /** The job was cancelled and its handler stopped or never started. */
    record Cancelled(
            ClaimRef claim, String reason, @Nullable Progress progress) implements Outcome {
        public Cancelled(ClaimRef claim, String reason) {
            this(claim, reason, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Cancelled(claim, reason, last);
        }
    }
}
