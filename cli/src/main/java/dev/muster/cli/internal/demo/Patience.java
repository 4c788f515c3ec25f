package dev.muster.cli.internal.demo;

import java.time.Duration;

/** How long the demo waits before it gives up. The variable {@code MUSTER_TEST_PATIENCE} has a factor for tests on busy machines. */
final class Patience {
    private static final String FACTOR = System.getenv().getOrDefault("MUSTER_TEST_PATIENCE", "1");

    private Patience() {}

    /** For all nodes to join. */
    static Duration toStart() {
        return Duration.ofSeconds(60).multipliedBy(factor());
    }

    /** For the next job to end. */
    static Duration toMove() {
        return Duration.ofSeconds(30).multipliedBy(factor());
    }

    private static int factor() {
        return Integer.parseInt(FACTOR);
    }
}
