package dev.muster.bench;

import dev.muster.bench.contender.Site;
import java.util.concurrent.TimeUnit;

/** Some threads that claim and complete in a loop, until closed. */
final class Looping implements Site.Work {
    private final Gate gate = new Gate();
    private final Thread crew;

    /** What each thread does. */
    @FunctionalInterface
    interface Loop {
        void run(int thread, Gate gate) throws Exception;
    }

    /** Says when to continue. */
    static final class Gate {
        private volatile boolean paused;
        private volatile boolean closed;

        private Gate() {}

        /**
         * Waits while there is a pause, and for a moment when there was nothing to do; false when it is time to end.
         * Jobs at hand are finished first.
         */
        boolean open(int atHand) throws InterruptedException {
            if (atHand > 0) {
                return true;
            }
            do {
                TimeUnit.MILLISECONDS.sleep(1);
            } while (paused && !closed);
            return !closed;
        }
    }

    Looping(int threads, Loop loop) {
        this.crew = new Thread(() -> run(threads, loop), "loops");
        crew.start();
    }

    private void run(int threads, Loop loop) {
        try {
            Crew.run(threads, thread -> loop.run(thread, gate));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void pause() {
        gate.paused = true;
    }

    @Override
    public void resume() {
        gate.paused = false;
    }

    @Override
    public void close() {
        gate.closed = true;
        try {
            crew.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
