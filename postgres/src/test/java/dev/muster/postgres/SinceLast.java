package dev.muster.postgres;

import dev.muster.cluster.Contact.SinceLastHeartbeat;
import dev.muster.runtime.Clock;
import java.time.Duration;

/** What a heartbeat tells about the time since the last one. */
final class SinceLast {
    private SinceLast() {}

    static SinceLastHeartbeat unbroken(Duration tolerance) {
        return of(true, Duration.ZERO, tolerance);
    }

    static SinceLastHeartbeat of(boolean unbroken, Duration ago, Duration tolerance) {
        long last = System.nanoTime() - ago.toNanos();
        return new SinceLastHeartbeat(unbroken, 0, last, last, tolerance, Clock.system());
    }
}
