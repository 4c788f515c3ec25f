package dev.muster.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits in real time, whatever the test's clock says. Looks less and less often, so that it is late by a fifth of the time at most, and
 * a wait of seconds does not keep the database busy with questions.
 */
final class Waiting {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private Waiting() {}

    /** Returns true as soon as the condition holds, false after this time. */
    static boolean until(Duration atMost, BooleanSupplier condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long pause = FIRST_PAUSE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting", e);
            }
            pause = Math.min(LONGEST_PAUSE.toNanos(), pause * 6 / 5);
        }
        return true;
    }
}
