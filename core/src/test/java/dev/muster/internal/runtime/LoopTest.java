package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTest {
    private final AtomicInteger steps = new AtomicInteger();
    private Loop loop = new Loop("none", () -> Duration.ZERO);

    /** What no logger can print. */
    static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("not even its message");
        }

        @Override
        public String toString() {
            throw new OutOfMemoryError("not even its name");
        }
    }

    @AfterEach
    void stop() {
        loop.stop();
    }

    @Test
    void goesOnAfterAFailureThatCannotBeReported() {
        loop = new Loop("fragile", () -> {
            if (steps.incrementAndGet() < 3) {
                throw new Unspeakable();
            }
            return Duration.ofMillis(1);
        });
        loop.start();

        await().until(() -> steps.get() > 5);
        assertThat(loop.health().ok()).isTrue();
    }

    @Test
    void aStepThatTriedNothingIsNoRecovery() {
        AtomicBoolean tried = new AtomicBoolean();
        loop = new Loop(
                "patient",
                () -> {
                    if (steps.incrementAndGet() == 1) {
                        throw new MusterException("the database is away");
                    }
                    return Duration.ofMillis(1);
                },
                tried::get);
        loop.start();

        await().until(() -> steps.get() > 5);
        assertThat(loop.health().detail()).contains("the database is away");
        assertThat(loop.failingFor()).isPositive();

        tried.set(true);
        await().until(() -> loop.health().ok());
        assertThat(loop.failingFor()).isZero();
    }
}
