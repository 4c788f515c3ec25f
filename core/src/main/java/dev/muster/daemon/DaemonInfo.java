package dev.muster.daemon;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A daemon as its row says.
 *
 * @param slot empty: one in the cluster; else the node whose instance it is
 * @param node where it runs or waits for its restart
 */
public record DaemonInfo(
        String name,
        Optional<String> slot,
        Status status,
        Optional<String> node,
        Optional<Long> token,
        int restarts,
        Optional<Instant> startedAt,
        Optional<String> lastError,
        Optional<Instant> failedAt) {

    /** What it is doing. */
    public enum Status {
        /** No node has it; one will. */
        FREE,
        RUNNING,
        /** It ended, and waits for its next start. */
        BACKOFF,
        /** It ended too often, and waits for an operator. */
        FAILED;

        /** The word in tables and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Status parse(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
