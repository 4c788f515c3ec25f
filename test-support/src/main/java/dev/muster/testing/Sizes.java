package dev.muster.testing;

/**
 * How large a test runs: small in {@code ./verify}, and in {@code ./verify --long}, which sets {@code -Dmuster.test.size=full}, as large
 * as what is promised.
 */
public final class Sizes {
    private static final boolean FULL = "full".equals(System.getProperty("muster.test.size"));

    private Sizes() {}

    public static boolean full() {
        return FULL;
    }

    public static int of(int quick, int full) {
        return FULL ? full : quick;
    }
}
