package dev.muster.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.core.ThrowingRunnable;

/** Periods in which a test waits for nothing but the time to pass. Any other wait ends as soon as something has happened. */
public final class Periods {
    private static final Duration SLACK = Duration.ofMinutes(2);

    private Periods() {}

    /** The assertion holds at once, and whenever it is checked until the period ends; the first failure is the test's. */
    public static void nothingHappensFor(Duration period, ThrowingRunnable assertion) {
        observeFor(period, Duration.ofMillis(50), assertion);
    }

    /** The server or the node counts meanwhile; the test reads the figures afterwards. */
    public static void measureFor(Duration period) {
        observeFor(period, Duration.ofMillis(50), () -> {});
    }

    /**
     * Work that takes this long, or a pause between two disturbances: threads meet in another order because of it, and no verdict
     * depends on how long it really takes.
     */
    public static void work(Duration period) {
        LockSupport.parkNanos(period.toNanos());
    }

    /** The test looks at something again and again until the period ends. */
    public static void observeFor(Duration period, Duration interval, ThrowingRunnable look) {
        long end = System.nanoTime() + period.toNanos();
        await().pollDelay(Duration.ZERO)
                .pollInterval(interval)
                .atMost(period.plus(SLACK))
                .until(() -> {
                    run(look);
                    return System.nanoTime() - end >= 0;
                });
    }

    private static void run(ThrowingRunnable look) throws Exception {
        try {
            look.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
