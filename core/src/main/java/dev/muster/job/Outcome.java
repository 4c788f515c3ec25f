package dev.muster.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a claim, to be written under its token. */
public sealed interface Outcome {

    ClaimRef claim();

    /**
     * The handler returned.
     *
     * @param result JSON
     * @param ran how long the handler took; null: not known
     */
    record Completed(
            ClaimRef claim,
            @Nullable String result,
            @Nullable Duration ran) implements Outcome {
        public Completed(ClaimRef claim, @Nullable String result) {
            this(claim, result, null);
        }
    }

    /**
     * The handler failed and the job is not tried again.
     *
     * @param ran how long the handler took; null: it was not entered
     */
    record Failed(ClaimRef claim, String error, @Nullable Duration ran) implements Outcome {
        public Failed(ClaimRef claim, String error) {
            this(claim, error, null);
        }
    }

    /** The handler failed and the job is tried again after a delay. */
    record Retried(ClaimRef claim, String error, Duration delay) implements Outcome {}

    /**
     * The handler asked to be run again later, or could not be given its job; no attempt is counted.
     *
     * @param error why it could not be given its job; null: the handler was entered and asked for it
     */
    record Snoozed(ClaimRef claim, Duration delay, @Nullable String error) implements Outcome {
        public Snoozed(ClaimRef claim, Duration delay) {
            this(claim, delay, null);
        }
    }

    /** The job goes back in line as if it had not been claimed: no attempt, no crash. */
    record Released(ClaimRef claim) implements Outcome {}

    /** The job was cancelled and its handler stopped or never started. */
    record Cancelled(ClaimRef claim, String reason) implements Outcome {}
}
