package dev.muster.testing;

import java.util.concurrent.ThreadLocalRandom;

/** Seeds of tests that choose at random. Each is printed, so that a failure can be repeated. */
public final class Seeds {
    private static final String PROPERTY = "muster.test.seed";

    private Seeds() {}

    /** The seed that {@code -Dmuster.test.seed} sets, or one that nobody had before. */
    public static long next(Class<?> test) {
        long seed = Long.getLong(PROPERTY, ThreadLocalRandom.current().nextLong());
        System.out.println(
                test.getSimpleName() + " has the seed " + seed + "; to repeat it: -D" + PROPERTY + "=" + seed);
        return seed;
    }
}
