package dev.muster.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.workflow.LeaveCode.Broken;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepTimerTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final CountDownLatch NEVER = new CountDownLatch(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final StepTimer timer = new StepTimer(LONG, Clock.system());

    @AfterEach
    void stop() {
        timer.stop();
    }

    private static void hang() throws InterruptedException {
        NEVER.await(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void interruptsAStepThatTakesTooLong() {
        StepTimer.Timer step = timer.start(SHORT);

        assertThatThrownBy(StepTimerTest::hang).isInstanceOf(InterruptedException.class);
        assertThat(step.stop()).isTrue();
    }

    @Test
    void aTimeoutMayBeLongerThanAnyClockRuns() {
        assertThat(timer.start(ChronoUnit.FOREVER.getDuration()).stop()).isFalse();
        assertThat(timer.start(SHORT).stop()).isFalse();
    }

    @Test
    void aShortTimeoutCountsThoughTheAlarmIsSetForALongOne() {
        assertThat(timer.start(LONG).stop()).isFalse();
        StepTimer.Timer step = timer.start(SHORT);

        assertThatThrownBy(StepTimerTest::hang).isInstanceOf(InterruptedException.class);
        assertThat(step.stop()).isTrue();
    }

    @Test
    void aStepIsNotInterruptedAtTheDeadlineOfTheOneBefore() throws InterruptedException {
        AtomicLong nanos = new AtomicLong();
        StepTimer standing = new StepTimer(LONG, nanos::get);
        try {
            assertThat(standing.start(SHORT).stop()).isFalse();
            nanos.addAndGet(SHORT.toNanos() / 2);
            StepTimer.Timer step = standing.start(SHORT);
            // The alarm of the first step rings meanwhile, and by its clock the second one is not over its limit.
            NEVER.await(SHORT.toMillis() * 5, TimeUnit.MILLISECONDS);
            nanos.addAndGet(SHORT.toNanos());

            assertThatThrownBy(StepTimerTest::hang).isInstanceOf(InterruptedException.class);
            assertThat(step.stop()).isTrue();
        } finally {
            standing.stop();
        }
    }

    @Test
    void leavesNoInterruptBehind() {
        for (int i = 0; i < 200; i++) {
            StepTimer.Timer step = timer.start(Duration.ofNanos(50_000));
            long start = System.nanoTime();
            while (System.nanoTime() - start < 50_000) {
                Thread.onSpinWait();
            }
            step.stop();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void startsNothingOnceTheNodeHasStopped() {
        timer.stop();

        assertThatThrownBy(() -> timer.start(SHORT)).isInstanceOf(Broken.class);
    }
}
