package dev.muster.internal.telemetry;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what listeners and tracers throw, and the interrupts that they leave behind, from the engine. */
final class ListenerFailures {
    private static final Logger log = LoggerFactory.getLogger(TelemetryListeners.class);
    private static final long BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private final AtomicLong warnAt;
    private final AtomicLong unreported = new AtomicLong();

    ListenerFailures(Clock clock) {
        this.clock = clock;
        this.warnAt = new AtomicLong(clock.nanos());
    }

    /** An interrupt that a listener left behind would end a loop of the engine; one that it consumed was not meant for it. */
    static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        } else {
            Thread.interrupted();
        }
    }

    /** Logging may fail too: memory may have run out, or the exception's own message may throw. */
    void warn(Object listener, Throwable e) {
        try {
            long now = clock.nanos();
            long due = warnAt.get();
            if (now - due < 0 || !warnAt.compareAndSet(due, now + BETWEEN_WARNINGS)) {
                unreported.incrementAndGet();
                return;
            }
            log.warn(
                    "telemetry={} failed; it does not get this event again; failures_not_logged_before={}",
                    listener.getClass().getName(),
                    unreported.getAndSet(0),
                    e);
        } catch (Throwable alsoWrong) {
            unreported.incrementAndGet();
        }
    }
}
