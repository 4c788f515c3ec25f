package dev.muster.overview;

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
        /** Jobs or runs do not go on. */
        CRITICAL,
        /** Somebody should look, or it may become critical. */
        WARNING;

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Severity parse(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
