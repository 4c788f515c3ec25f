package dev.muster.overview;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;

/**
 * Something that needs attention.
 *
 * @param kind the name of the check that has found it, such as {@code no_worker}
 * @param message what is wrong, since when, and what to do
 * @param page where people see more of it, as the dashboard names its pages: {@code nodes}, {@code queues/mail}
 */
public record Finding(String kind, Severity severity, String message, String page) {

    /** How bad it is. The worst comes first. */
    public enum Severity {
        /** Jobs or runs do not continue. */
        CRITICAL,
        /** Somebody should look, or it may become critical. */
        WARNING,
        /** A newer Muster has stored another one, which this version does not know. */
        UNKNOWN;

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Severity stored(String text) {
            return Known.read(values(), Severity::text, text, UNKNOWN);
        }

        /** All but {@link #UNKNOWN}: what people can choose or ask for. */
        public static List<Severity> known() {
            return Known.allBut(UNKNOWN, values());
        }
    }
}
