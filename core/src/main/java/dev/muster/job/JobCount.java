package dev.muster.job;

import java.util.Locale;

/**
 * How many jobs there are of a kind.
 *
 * @param exact false if counting ended early, so that there are at least this many
 */
public record JobCount(long count, boolean exact) {
    public static final JobCount ZERO = new JobCount(0, true);

    /** At least this many. */
    public static JobCount atLeast(long count) {
        return new JobCount(count, false);
    }

    /** Both together. */
    public JobCount plus(JobCount other) {
        return new JobCount(count + other.count, exact && other.exact);
    }

    /** As people read it: {@code 12}, or {@code 10,000 or more}. */
    public String words() {
        return String.format(Locale.ROOT, "%,d", count) + (exact ? "" : " or more");
    }
}
