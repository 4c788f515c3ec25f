package dev.muster.internal.runtime;

/** Words that differ between one thing and several. */
public final class Plural {
    private Plural() {}

    /** For example {@code 1 job}, {@code 3 jobs}. */
    public static String of(long count, String noun) {
        return count + " " + choose(count, noun, noun + "s");
    }

    /** The words for one thing, or those for none or several. */
    public static String choose(long count, String one, String several) {
        return count == 1 ? one : several;
    }
}
