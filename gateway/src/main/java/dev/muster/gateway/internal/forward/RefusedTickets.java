package dev.muster.gateway.internal.forward;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the calls that were refused because of their tickets. The log gets one line in ten seconds at most, and the caller no reason. */
final class RefusedTickets {
    private static final Logger log = LoggerFactory.getLogger(RefusedTickets.class);
    private static final long BETWEEN_LINES = Duration.ofSeconds(10).toNanos();

    private final Clock clock;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong nextLine;

    RefusedTickets(Clock clock) {
        this.clock = clock;
        this.nextLine = new AtomicLong(clock.nanos());
    }

    /** @param why for the log */
    Refusal refuse(String why, String address) {
        long all = count.incrementAndGet();
        long now = clock.nanos();
        long due = nextLine.get();
        if (now - due >= 0 && nextLine.compareAndSet(due, now + BETWEEN_LINES)) {
            log.warn(
                    "a forwarded call from {} was refused: {}; calls refused like this since the start: {}",
                    address,
                    why,
                    all);
        }
        return Refusal.of(401, "unauthorized", "the call was refused");
    }

    long count() {
        return count.get();
    }
}
