package dev.muster.worker;

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
    private final List<Permit> underWay = new ArrayList<>();

    ExchangeGate(Clock clock) {
        this.clock = clock;
    }

    /** The permit for one exchange. */
    static final class Permit {
        private final long begun;

        private Permit(long begun) {
            this.begun = begun;
        }
    }

    /**
     * Waits a moment for the end of what is under way, if the database is crowded. Here rather than between two steps of
     * a pump, which every outcome cuts short.
     *
     * @return null if it is not over yet; else the exchange has begun and has to be {@link #end ended}
     */
    synchronized @Nullable Permit begin(boolean contended) {
        if (contended && isTaken()) {
            pause();
            if (isTaken()) {
                return null;
            }
        }
        Permit permit = new Permit(clock.nanos());
        underWay.add(permit);
        return permit;
    }

    private boolean isTaken() {
        return underWay.stream().anyMatch(permit -> clock.nanos() - permit.begun < LONG_NANOS);
    }

    private void pause() {
        try {
            wait(WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void end(Permit permit) {
        underWay.remove(permit);
        notifyAll();
    }
}
