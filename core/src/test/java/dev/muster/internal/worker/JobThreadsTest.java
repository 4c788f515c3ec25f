package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobThreadsTest {
    private final LocalBuffer buffer = new LocalBuffer(new SuspectTurn());
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    /** How many threads counted as stuck each time one was said to be free. */
    private final BlockingQueue<Integer> stuckWhenFreed = new LinkedBlockingQueue<>();

    private final JobSlots slots =
            new JobSlots(1, runner(this::runDeaf, (claim, e) -> {}), () -> stuckWhenFreed.add(stuck()));

    @AfterEach
    void stop() {
        release.countDown();
        buffer.close();
    }

    @Test
    void aStuckThreadCountsNoMoreWhenItIsSaidToBeFree() throws Exception {
        OpenClaim claim = Claims.ordinary(0);
        started(slots);
        buffer.addAll(List.of(claim));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        claim.stop(StopReason.TIMED_OUT, 0);
        claim.end();
        assertThat(slots.stuck()).isOne();

        release.countDown();

        assertThat(stuckWhenFreed.poll(1, TimeUnit.MINUTES)).isZero();
    }

    /** Its claim is open, so it takes up room as a claim; it is stuck all the same, which health reports. */
    @Test
    void aThreadWhoseClaimKeepsItsPlaceIsStuckOnceNobodyWaitsForItsHandler() throws Exception {
        OpenClaim claim = Claims.keepingPlace(0);
        started(slots);
        buffer.addAll(List.of(claim));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        claim.stop(StopReason.TIMED_OUT, 0);
        assertThat(slots.stuck()).as("it may still react").isZero();

        assertThat(claim.giveUpOnHandler()).isTrue();
        assertThat(claim.giveUpOnHandler()).as("reported once").isFalse();
        assertThat(slots.stuck()).isOne();
        assertThat(claim.isRunning()).as("it keeps its claim").isTrue();

        release.countDown();

        assertThat(stuckWhenFreed.poll(1, TimeUnit.MINUTES)).isZero();
    }

    @Test
    void aThreadOutlivesWhatItRunsEvenIfThatCannotBeReported() throws Exception {
        BlockingQueue<OpenClaim> run = new LinkedBlockingQueue<>();
        JobSlots fragile = new JobSlots(
                1,
                runner(
                        claim -> {
                            claim.start(0);
                            run.add(claim);
                            throw new OutOfMemoryError("the first");
                        },
                        (claim, e) -> {
                            throw new OutOfMemoryError("the second");
                        }),
                () -> {});
        OpenClaim first = Claims.ordinary(0);
        OpenClaim second = Claims.ordinary(1);
        started(fragile);
        buffer.addAll(List.of(first));
        assertThat(run.poll(1, TimeUnit.MINUTES)).isSameAs(first);
        buffer.addAll(List.of(second));
        assertThat(run.poll(1, TimeUnit.MINUTES)).isSameAs(second);

        assertThat(first.isAbandoned()).isTrue();
        assertThat(fragile.current()).doesNotContain(first);
    }

    private void started(JobSlots own) {
        new JobThreads(own, buffer, JobThreads.platform("test-"), () -> false).start();
    }

    private static JobRunner runner(Consumer<OpenClaim> run, BiConsumer<OpenClaim, Throwable> broken) {
        return new JobRunner() {
            @Override
            public void run(OpenClaim claim) {
                run.accept(claim);
            }

            @Override
            public void broken(OpenClaim claim, Throwable cause) {
                broken.accept(claim, cause);
            }

            @Override
            public void notRun(OpenClaim claim, String why) {
                throw new AssertionError(why);
            }
        };
    }

    private int stuck() {
        return slots.stuck();
    }

    /** A handler that ignores its interruption. */
    private void runDeaf(OpenClaim claim) {
        claim.start(0);
        entered.countDown();
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                continue;
            }
        }
        claim.leaveThread();
    }
}
