package dev.muster.internal.worker;

import dev.muster.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets a node's pumps exchange with the database at the same time, or one after the other while claims are contended. */
final class ExchangeGate {
    /** An exchange that takes longer than this no longer blocks the other pump. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a pump waits for the other before it goes back to its other work. */
    private static final long WAIT_MILLIS = 20;

    private final Clock clock;
    private final List<Pass> underWay = new ArrayList<>();

    ExchangeGate(Clock clock) {
        this.clock = clock;
    }

    /** One pump's right to exchange. */
    static final class Pass {
        private final long begun;

        private Pass(long begun) {
            this.begun = begun;
        }
    }

    /**
     * Waits a moment for the end of what is under way, if the database is crowded. Here rather than between two steps of
     * a pump, which every outcome cuts short.
     *
     * @return null if it is not over yet; else the exchange has begun and has to be {@link #end ended}
     */
    synchronized @Nullable Pass begin(boolean contended) {
        if (contended && isTaken()) {
            pause();
            if (isTaken()) {
                return null;
            }
        }
        Pass pass = new Pass(clock.nanos());
        underWay.add(pass);
        return pass;
    }

    private boolean isTaken() {
        return underWay.stream().anyMatch(pass -> clock.nanos() - pass.begun < LONG_NANOS);
    }

    private void pause() {
        try {
            wait(WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void end(Pass pass) {
        underWay.remove(pass);
        notifyAll();
    }
}
