package dev.muster.runtime;

/**
 * The node's own monotonic clock, for deadlines it keeps to itself. Leases, due times and ticks are
 * the database's business and use the database's clock.
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
