package dev.muster.schedule;

import java.util.Locale;

/** What a tick does while the job of an earlier tick has not ended. */
public enum Overlap {
    /** The tick fires: two runs may overlap. */
    ALLOW,
    /** The tick is skipped and recorded as skipped. A job that waits for its next attempt has not ended. */
    SKIP;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Overlap parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
