package dev.muster.cli.internal.console;

import java.util.Locale;

/** Formats counts: "10,000", and "10,000+" if counting stopped there. */
public final class Counts {
    private Counts() {}

    public static String of(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** @param atLeast whether there may be more */
    public static String of(long count, boolean atLeast) {
        return of(count) + (atLeast ? "+" : "");
    }
}
