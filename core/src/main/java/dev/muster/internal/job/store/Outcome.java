package dev.muster.internal.job.store;

import dev.muster.job.JobInfo.Progress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of a claim, which is written under the claim's token. */
public sealed interface Outcome {

    ClaimRef claim();

    /** The handler's last progress, if it has to be written with the outcome; otherwise null. */
    default @Nullable Progress progress() {
        return null;
    }

    /**
     * This outcome with the handler's last progress; outcomes of handlers that were not entered, or run again at once, have
     * none.
     */
    default Outcome withProgress(Progress progress) {
        return this;
    }

    /**
     * The handler returned.
     *
     * @param result JSON
     * @param ran how long the handler took; null if not known
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
     * @param ran how long the handler took; null if it was not entered
     * @param failure the exception for listeners, which is not stored; null if there is none
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
     * @param ran how long the handler took; null if not known
     * @param failure the exception for listeners, which is not stored; null if there is none
     */
    record Retried(
            ClaimRef claim,
            String error,
            Duration delay,
            @Nullable Duration ran,
            @Nullable Progress progress,
            @Nullable Throwable failure)
            implements Outcome {
        public Retried(ClaimRef claim, String error, Duration delay) {
            this(claim, error, delay, null, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Retried(claim, error, delay, ran, last, failure);
        }
    }

    /**
     * The handler asked to run again later, or could not be entered; no attempt is counted.
     *
     * @param error why the handler could not be entered; null if it was entered and asked for the snooze
     * @param ran how long the handler took; null if it was not entered
     */
    record Snoozed(
            ClaimRef claim,
            Duration delay,
            @Nullable String error,
            @Nullable Duration ran,
            @Nullable Progress progress) implements Outcome {
        public Snoozed(ClaimRef claim, Duration delay, @Nullable String error, @Nullable Duration ran) {
            this(claim, delay, error, ran, null);
        }

        public Snoozed(ClaimRef claim, Duration delay, @Nullable String error) {
            this(claim, delay, error, null, null);
        }

        public Snoozed(ClaimRef claim, Duration delay) {
            this(claim, delay, null, null, null);
        }

        @Override
        public Outcome withProgress(Progress last) {
            return new Snoozed(claim, delay, error, ran, last);
        }
    }

    /**
     * The job goes back to pending as if it had not been claimed: no attempt and no crash are counted.
     *
     * @param ran how long the handler took until it stopped; null if it was not entered, in which case nothing is recorded
     */
    record Released(ClaimRef claim, @Nullable Duration ran) implements Outcome {
        public Released(ClaimRef claim) {
            this(claim, null);
        }
    }

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

    /**
     * An outcome that a feature adds to those above. The store writes it by a statement of that feature; if it has none, the job
     * fails.
     */
    non-sealed interface OfFeature extends Outcome {}
}
