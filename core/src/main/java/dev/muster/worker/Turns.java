package dev.muster.worker;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/** Lets a node's pumps exchange at the same time, or one after the other while the database is crowded. */
final class Turns {
    /** Whatever an exchange waits for, the next one may not have to. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private int underWay;
    private long begun;

    Turns(Clock clock) {
        this.clock = clock;
    }

    /** False if it is better to wait; else the exchange has begun and has to be {@link #end ended}. */
    synchronized boolean begin(boolean crowded) {
        if (crowded && underWay > 0 && clock.nanos() - begun < LONG_NANOS) {
            return false;
        }
        if (underWay++ == 0) {
            begun = clock.nanos();
        }
        return true;
    }

    synchronized void end() {
        underWay--;
    }
}
