package dev.muster.internal.runtime;

/** Texts of callers in messages about them: a message is not as long as what somebody has sent. */
public final class Shown {
    private static final int LONGEST = 100;

    private Shown() {}

    /** The text, or its first 100 characters. */
    public static String of(String text) {
        return of(text, LONGEST);
    }

    /** The text, or its beginning. */
    public static String of(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "…";
    }
}
