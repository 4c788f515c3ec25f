package dev.muster.batch;

import dev.muster.internal.runtime.Known;
import java.util.List;
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
    CANCELLED,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    /** The name in the database, in JSON and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static BatchStatus stored(String text) {
        return Known.read(values(), BatchStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<BatchStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public boolean isClosed() {
        return this == SUCCEEDED || this == FAILED || this == CANCELLED;
    }
}
