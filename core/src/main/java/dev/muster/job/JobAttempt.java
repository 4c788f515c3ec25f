package dev.muster.job;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * One attempt of a job that has ended.
 *
 * @param attempt the number of the attempt; one that did not count has the same number as the next
 * @param node the node that had claimed the job
 * @param startedAt when the handler was entered; absent if that is not known, or it was not entered
 * @param endedAt when the outcome was written; for a lost attempt, when the job was taken back from its node
 * @param error why the attempt did not complete the job; absent if there is nothing to say
 */
public record JobAttempt(
        int attempt,
        Optional<String> node,
        Optional<Instant> startedAt,
        Instant endedAt,
        Outcome outcome,
        Optional<String> error) {

    /** How an attempt ended. */
    public enum Outcome {
        /** It completed the job. */
        COMPLETED,
        /** It failed, and the job was not tried again. */
        FAILED,
        /** The job was cancelled while it was claimed. */
        CANCELLED,
        /** It failed, and the job was tried again after a delay. */
        RETRIED,
        /** The handler asked to run again later, or could not be entered. The attempt did not count. */
        SNOOZED,
        /** Its node stopped, and gave the job back. The attempt did not count. */
        RELEASED,
        /** Its node died, or was away for longer than its lease. The attempt did not count, but may have counted as a crash. */
        LOST,
        /** The handler ended the process of its node. The attempt counted as a crash. */
        CRASHED,
        /** A later version of Muster knows more. */
        OTHER;

        /** The name in the database and in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The outcome of this name; {@link #OTHER} if this version does not know it. */
        public static Outcome parse(String text) {
            return Arrays.stream(values())
                    .filter(outcome -> outcome.text().equals(text))
                    .findFirst()
                    .orElse(OTHER);
        }
    }
}
