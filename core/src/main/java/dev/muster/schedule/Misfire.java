package dev.muster.schedule;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;

/** What happens to ticks that did not fire in time, because there was no leader or no database. */
public enum Misfire {
    /** Missed ticks are dropped; the next tick fires in time. */
    SKIP,
    /** The last missed tick fires, however many there were. */
    FIRE_ONCE,
    /** The last few missed ticks fire, oldest first: see {@link Cron#catchUpLimit}. */
    CATCH_UP,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static Misfire stored(String text) {
        return Known.read(values(), Misfire::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<Misfire> known() {
        return Known.allBut(UNKNOWN, values());
    }
}
