package dev.muster.schedule;

import java.util.Locale;

/** What happens to ticks that did not fire in time, because there was no leader or no database. */
public enum Misfire {
    /** Missed ticks are dropped; the next tick fires in time. */
    SKIP,
    /** The last missed tick fires, however many there were. */
    FIRE_ONCE,
    /** The last few missed ticks fire, oldest first: see {@link Cron#catchUpLimit}. */
    CATCH_UP;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Misfire parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
