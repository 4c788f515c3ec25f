package dev.muster.cli.console;

import java.util.Locale;

/** Numbers of things as people read them: "10,000", and "10,000+" where counting ended there. */
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
