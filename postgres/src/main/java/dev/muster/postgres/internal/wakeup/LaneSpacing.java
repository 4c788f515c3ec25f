package dev.muster.postgres.internal.wakeup;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Limits how often notifications are sent for one lane. Thread-safe: of several threads at once, one may send. */
public final class LaneSpacing {
    private static final int MANY_LANES = 10_000;

    private final long spacing;
    private final ConcurrentHashMap<Lane, Long> sentAt = new ConcurrentHashMap<>();

    LaneSpacing(Duration spacing) {
        this.spacing = spacing.toNanos();
    }

    /** Whether a notification may be sent now; the next one may follow after the spacing. */
    boolean take(Lane lane, long now) {
        AtomicBoolean taken = new AtomicBoolean();
        sentAt.compute(lane, (l, last) -> {
            taken.set(last == null || now - last >= spacing);
            return taken.get() ? Long.valueOf(now) : last;
        });
        if (sentAt.size() > MANY_LANES) {
            sentAt.values().removeIf(last -> now - last >= spacing);
        }
        return taken.get();
    }

    /** Nanoseconds until a notification may be sent; zero or negative if it may be sent now. */
    long left(Lane lane, long now) {
        Long last = sentAt.get(lane);
        return last == null ? 0 : spacing - (now - last);
    }
}
