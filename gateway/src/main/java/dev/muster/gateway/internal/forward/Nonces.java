package dev.muster.gateway.internal.forward;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The nonces of tickets that were used, until the tickets have expired. Only nonces of authentic tickets come here. Thread-safe. */
final class Nonces {
    private static final long BETWEEN_SWEEPS = Duration.ofSeconds(1).toNanos();

    private final Clock clock;
    private final ConcurrentMap<String, Long> used = new ConcurrentHashMap<>();
    private final AtomicLong nextSweep;

    Nonces(Clock clock) {
        this.clock = clock;
        this.nextSweep = new AtomicLong(clock.nanos() + BETWEEN_SWEEPS);
    }

    /**
     * Remembers a nonce, and returns whether it was not remembered before.
     *
     * @param remember for how long
     */
    boolean use(String nonce, Duration remember) {
        long now = clock.nanos();
        sweep(now);
        return used.putIfAbsent(nonce, now + remember.toNanos()) == null;
    }

    private void sweep(long now) {
        long due = nextSweep.get();
        if (now - due >= 0 && nextSweep.compareAndSet(due, now + BETWEEN_SWEEPS)) {
            used.values().removeIf(until -> now - until >= 0);
        }
    }

    int size() {
        return used.size();
    }
}
