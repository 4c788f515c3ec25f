package dev.muster.internal.runtime;

import dev.muster.runtime.Health;

/** Something that is started once, stopped once, and reports its health in between. */
public interface Service {

    String name();

    void start();

    /** Stops and waits until the service's threads have ended. Calling it twice, or before start, is harmless. */
    void stop();

    Health health();
}
