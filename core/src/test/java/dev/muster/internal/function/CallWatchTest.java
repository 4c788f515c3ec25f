package dev.muster.internal.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interrupts: who gets one, when, and that nobody else does. */
class CallWatchTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - SECOND);
    private final CallWatch watch = new CallWatch(time::get);

    @AfterEach
    void noFlagIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aCallThatEndsInTimeIsNeverInterrupted() {
        WatchedCall call = watch.begin("order", "r1", 5 * SECOND);
        time.addAndGet(4 * SECOND);
        watch.check();

        assertThat(watch.end(call)).isFalse();

        time.addAndGet(4 * SECOND);
        watch.check();
        call.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(watch.running()).isZero();
    }

    @Test
    void aCallWhoseTimeIsOverIsInterruptedAndTakesTheFlagWithIt() {
        WatchedCall call = watch.begin("order", "r1", 5 * SECOND);
        time.addAndGet(5 * SECOND);
        watch.check();

        await().until(call::isInterrupted);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(watch.end(call)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptThatWasThereBeforeStays() {
        Thread.currentThread().interrupt();
        WatchedCall call = watch.begin("order", "r1", 5 * SECOND);
        time.addAndGet(5 * SECOND);
        watch.check();

        assertThat(watch.end(call)).isTrue();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anInterruptOfOthersStays() {
        WatchedCall call = watch.begin("order", "r1", 5 * SECOND);
        Thread.currentThread().interrupt();

        assertThat(watch.end(call)).isFalse();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aHandlerThatDoesNotReactCountsAsStuckUntilItReturns() {
        CallHealth health = new CallHealth(watch);
        WatchedCall call = watch.begin("report", "r1", 5 * SECOND);
        time.addAndGet(5 * SECOND);
        watch.check();
        assertThat(watch.stuck()).isEmpty();

        time.addAndGet(CallWatch.GRACE.toNanos());
        watch.check();

        assertThat(watch.stuck()).containsExactly(call);
        assertThat(health.health().ok()).isTrue();
        assertThat(health.health().detail()).contains("1 call(s)", "report");
        watch.end(call);
        assertThat(watch.stuck()).isEmpty();
        assertThat(health.health().detail()).isEmpty();
    }

    /** Another thread looks at the calls without pause, and each call ends at about the moment when its time is over. */
    @Test
    void ofTenThousandCallsThatEndJustThenNoneLeavesItsFlagBehind() throws InterruptedException {
        CallWatch racing = new CallWatch(Clock.system());
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch looked = new CountDownLatch(1);
        Thread watching = new Thread(() -> {
            while (!done.get()) {
                racing.check();
                looked.countDown();
            }
        });
        watching.start();
        looked.await();
        SplittableRandom random = new SplittableRandom(7);
        int late = 0;
        int inTime = 0;
        int leaked = 0;
        // On a busy machine the other thread may get no processor for a while, and finds no call that is late.
        for (int i = 0; i < 10_000 || late == 0 || inTime == 0; i++) {
            long now = racing.now();
            long ends = now + random.nextLong(20_000);
            WatchedCall call = racing.begin("order", "r", now + random.nextLong(20_000));
            while (racing.now() < ends) {
                Thread.onSpinWait();
            }
            if (racing.end(call)) {
                late++;
            } else {
                inTime++;
            }
            if (Thread.interrupted()) {
                leaked++;
            }
        }
        done.set(true);
        watching.join();

        assertThat(leaked).isZero();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(racing.running()).isZero();
    }

    @Test
    void itsThreadInterruptsByItselfAndEndsWhenNobodyCalls() throws InterruptedException {
        CallWatch real = new CallWatch(Clock.system(), Duration.ofMillis(20));
        for (int i = 0; i < 2; i++) {
            WatchedCall call = real.begin("order", "r", real.now() + 1_000_000);
            boolean interrupted = false;
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
            assertThat(real.end(call)).isTrue();
            assertThat(interrupted).isTrue();

            // the thread is gone, and the next call starts another
            await().until(() -> !real.hasThread());
        }
    }

    @Test
    void aShorterTimeWakesItsThread() throws InterruptedException {
        CallWatch real = new CallWatch(Clock.system());
        WatchedCall patient = real.begin("report", "r1", real.now() + 3_600 * SECOND);
        WatchedCall hasty = real.begin("order", "r2", real.now() + 1_000_000);
        boolean interrupted = false;
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        assertThat(interrupted).isTrue();
        assertThat(real.end(hasty)).isTrue();
        assertThat(real.end(patient)).isFalse();
    }
}
