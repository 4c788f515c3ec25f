package dev.muster.testkit;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A node's monotonic clock that stands still until it is told to move. */
public final class FakeClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }
}
