package dev.muster.internal.ratelimit;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Counts in the memory of this node. A key's window begins with its first call after the window before. */
final class LocalLimiter implements RateLimiterBackend {
    private final Clock clock;
    private final RecentKeys<AtomicReference<Window>> windows;

    LocalLimiter(Clock clock, int mostKeys) {
        this.clock = clock;
        this.windows = new RecentKeys<>(mostKeys, key -> new AtomicReference<>(new Window(clock.nanos(), 0)));
    }

    /** @param began by the node's clock */
    private record Window(long began, int used) {}

    @Override
    public Decision tryAcquire(RateKey key, RateLimit limit, int permits) {
        AtomicReference<Window> current = windows.get(new RateLimitedKey(key, limit));
        while (true) {
            long now = clock.nanos();
            Window seen = current.get();
            long left = limit.window().toNanos() - (now - seen.began());
            Window window = left > 0 ? seen : new Window(now, 0);
            int remaining = limit.permits() - window.used();
            if (remaining < permits) {
                return Decision.refuse(remaining, Duration.ofNanos(left));
            }
            if (current.compareAndSet(seen, new Window(window.began(), window.used() + permits))) {
                return Decision.allow(remaining - permits);
            }
        }
    }
}
