package dev.muster.postgres;

import dev.muster.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.runtime.Clock;
import java.time.Duration;

/** What a heartbeat tells about the time since the last one. */
public final class SinceLast {
    private SinceLast() {}

    public static SinceLastHeartbeat unbroken(Duration tolerance) {
        return of(true, Duration.ZERO, tolerance);
    }

    public static SinceLastHeartbeat of(boolean unbroken, Duration ago, Duration tolerance) {
        long last = System.nanoTime() - ago.toNanos();
        return new SinceLastHeartbeat(unbroken, 0, last, last, tolerance, Clock.system());
    }
}
