package dev.muster.schedule;

import java.util.Locale;

/** What becomes of ticks that nobody fired in time, because there was no leader or no database. */
public enum Misfire {
    /** They are lost; the next tick fires in time. */
    SKIP,
    /** The last of them fires, however many there were. */
    FIRE_ONCE,
    /** The last few of them fire, the oldest first: see {@link Cron#catchUpLimit}. */
    CATCH_UP;

    /** The word in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Misfire parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
