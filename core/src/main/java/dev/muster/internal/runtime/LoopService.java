package dev.muster.internal.runtime;

import dev.muster.runtime.Health;
import java.time.Duration;

/** A service that repeats one step on its own thread: a {@link Loop} and what it does. */
public abstract class LoopService implements Service {
    private final Loop loop;

    /** @param name the name of the service and of its thread */
    @SuppressWarnings("this-escape")
    protected LoopService(String name) {
        this.loop = new Loop(name, this::step);
    }

    /** @param maxBackoff the longest wait after a failed step */
    @SuppressWarnings("this-escape")
    protected LoopService(String name, Duration maxBackoff) {
        this.loop = new Loop(name, this::step, maxBackoff);
    }

    /** Does the work and returns how long to wait before the next step. Not called before {@link #start}. */
    protected abstract Duration step() throws Exception;

    protected final Loop loop() {
        return loop;
    }

    @Override
    public String name() {
        return loop.name();
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }
}
