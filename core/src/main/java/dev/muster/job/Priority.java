package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.Arrays;
import java.util.Locale;

/** How urgent a job is. Within a lane, jobs with a higher priority are always claimed first. */
public enum Priority {
    BACKGROUND(0),
    LOW(25),
    NORMAL(50),
    HIGH(75),
    CRITICAL(100);

    private final int level;

    Priority(int level) {
        this.level = level;
    }

    /** The number in the table. */
    public int level() {
        return level;
    }

    public static Priority ofLevel(int level) {
        return Arrays.stream(values())
                .filter(p -> p.level == level)
                .findFirst()
                .orElseThrow(() -> unknown(String.valueOf(level)));
    }

    /** Reads a name in any case, or a level. */
    public static Priority parse(String text) {
        String wanted = text.trim().toUpperCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(p -> p.name().equals(wanted) || String.valueOf(p.level).equals(wanted))
                .findFirst()
                .orElseThrow(() -> unknown(text));
    }

    private static MusterException unknown(String text) {
        return new MusterException("priority '" + text
                + "' is unknown; allowed are background (0), low (25), normal (50), high (75), critical (100)");
    }
}
