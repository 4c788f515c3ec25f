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

    /**
     * The same for a test that others wait for: a new seed each time finds more, but only at full size, where it disturbs nobody.
     *
     * @param usual the seed otherwise, so that the test does the same each time
     */
    public static long next(Class<?> test, long usual) {
        return Sizes.full() || Long.getLong(PROPERTY) != null ? next(test) : usual;
    }
}
