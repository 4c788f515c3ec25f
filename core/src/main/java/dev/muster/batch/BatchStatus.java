package dev.muster.batch;

import java.util.Locale;

/** The status of a batch. */
public enum BatchStatus {
    /** It takes jobs, and does not close before it is sealed. */
    OPEN,
    /** It closes when its condition is decided. */
    SEALED,
    SUCCEEDED,
    FAILED,
    /** It was cancelled, and none of its jobs is left. */
    CANCELLED;

    /** The name in the database, in JSON and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static BatchStatus parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public boolean isClosed() {
        return this == SUCCEEDED || this == FAILED || this == CANCELLED;
    }
}
