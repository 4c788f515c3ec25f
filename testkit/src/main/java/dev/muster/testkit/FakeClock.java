package dev.muster.testkit;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A clock that a test moves. A clock created with {@code new} stands still until it is moved. The clock of a {@link Cluster} runs
 * like any clock and can jump ahead, together with the clocks of the database, which decides about due times and leases, and of
 * every node of the cluster.
 */
public final class FakeClock implements Clock {
    private final Clock base;
    private final Consumer<Duration> onAdvance;
    private final AtomicLong ahead = new AtomicLong();

    /** A clock that stands still. */
    public FakeClock() {
        this(() -> 0L, by -> {});
    }

    /** @param onAdvance called before the clock moves */
    FakeClock(Clock base, Consumer<Duration> onAdvance) {
        this.base = base;
        this.onAdvance = onAdvance;
    }

    @Override
    public long nanos() {
        return base.nanos() + ahead.get();
    }

    /** Moves time ahead, at once. */
    public synchronized void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not go back: advance(" + by + ")");
        }
        onAdvance.accept(by);
        ahead.addAndGet(by.toNanos());
    }
}
