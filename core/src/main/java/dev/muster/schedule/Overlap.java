package dev.muster.schedule;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;

/** What a tick does while the job of an earlier tick has not ended. */
public enum Overlap {
    /** The tick fires: two runs may overlap. */
    ALLOW,
    /** The tick is skipped and recorded as skipped. A job that waits for its next attempt has not ended. */
    SKIP,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static Overlap stored(String text) {
        return Known.read(values(), Overlap::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<Overlap> known() {
        return Known.allBut(UNKNOWN, values());
    }
}
