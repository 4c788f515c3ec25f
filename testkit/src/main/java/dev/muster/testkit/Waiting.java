package dev.muster.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits in real time, whatever the test's clock says. */
final class Waiting {
    private static final long FIRST_PAUSE_MS = 1;
    private static final long LONGEST_PAUSE_MS = 20;

    private Waiting() {}

    /** Returns true as soon as the condition holds, false after this time. */
    static boolean until(Duration atMost, BooleanSupplier condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long pause = FIRST_PAUSE_MS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting", e);
            }
            pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
        }
        return true;
    }
}
