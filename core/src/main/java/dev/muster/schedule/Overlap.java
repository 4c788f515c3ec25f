package dev.muster.schedule;

import java.util.Locale;

/** What a tick does while the job of an earlier tick has not ended. */
public enum Overlap {
    /** It fires all the same: two runs may overlap. */
    ALLOW,
    /** It is skipped, and shown as such. A job that waits for its next attempt has not ended. */
    SKIP;

    /** The word in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Overlap parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
