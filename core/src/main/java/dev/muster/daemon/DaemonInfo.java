package dev.muster.daemon;

import dev.muster.internal.runtime.Known;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A daemon as its row says.
 *
 * @param slot empty if there is one instance in the cluster; otherwise the node of this instance
 * @param node the node on which it runs or waits for its restart
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

    /** The states of a daemon. */
    public enum Status {
        /** No node holds it yet. */
        FREE,
        RUNNING,
        /** It ended and waits for its restart. */
        BACKOFF,
        /** It ended too often and waits for an operator to reset it. */
        FAILED,
        /** A newer Muster has stored another one, which this version does not know. */
        UNKNOWN;

        /** The name in tables and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Status stored(String text) {
            return Known.read(values(), Status::text, text, UNKNOWN);
        }

        /** All but {@link #UNKNOWN}: what people can choose or ask for. */
        public static List<Status> known() {
            return Known.allBut(UNKNOWN, values());
        }
    }
}
