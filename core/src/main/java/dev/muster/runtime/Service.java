package dev.muster.runtime;

/** Something that is started once, stopped once, and can say how it is doing in between. */
public interface Service {

    String name();

    void start();

    /** Stops and waits until the service's threads have ended. Calling it twice, or before start, is harmless. */
    void stop();

    Health health();
}
