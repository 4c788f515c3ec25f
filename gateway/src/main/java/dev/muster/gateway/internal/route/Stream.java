package dev.muster.gateway.internal.route;

import java.util.Optional;

/** An answer that comes bit by bit, until one of the two sides ends it. Thread-safe; no method waits. */
public interface Stream {

    /** Begins to produce. */
    @FunctionalInterface
    interface Opener {
        /**
         * @param ready called by any thread when there may be something to take
         * @throws RuntimeException if there is nothing to stream; the caller gets an error instead
         */
        Stream open(Runnable ready);
    }

    /** The next bytes, which are not changed any more; empty if there are none at the moment. */
    Optional<byte[]> take();

    /** Whether nothing follows. */
    boolean isOver();

    /** Says to the caller, after all that waits for it, that the stream ends and why. */
    void end(String reason);

    /** The caller has gone, or was sent everything. May be called twice. */
    void close();
}
