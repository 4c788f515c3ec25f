package dev.muster.runtime;

/**
 * The node's monotonic clock, for the node's own deadlines. Leases, due times and ticks use the database's clock.
 */
@FunctionalInterface
public interface Clock {

    /** Nanoseconds since an arbitrary origin; only differences mean anything. */
    long nanos();

    /** The JVM's monotonic clock. */
    static Clock system() {
        return System::nanoTime;
    }
}
