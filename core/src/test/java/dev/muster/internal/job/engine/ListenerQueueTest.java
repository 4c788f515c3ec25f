package dev.muster.internal.job.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobListener;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ListenerQueueTest {
    private final Queue<ExpiredJob> told = new ConcurrentLinkedQueue<>();
    private final JobListener recording = new JobListener() {
        @Override
        public void expired(ExpiredJob event) {
            told.add(event);
        }
    };

    private static ExpiredJob event() {
        return new ExpiredJob(JobId.next(), "mail", "default", 0);
    }

    @Test
    void aListenerThatThrowsHarmsNobody() {
        ListenerQueue queue = new ListenerQueue(List.of(
                new JobListener() {
                    @Override
                    public void expired(ExpiredJob event) {
                        throw new IllegalStateException("listener");
                    }
                },
                recording));
        queue.start();
        queue.expired(event());
        queue.expired(event());
        await().until(() -> told.size() == 2);
        queue.stop();
    }

    @Test
    void aSlowListenerHoldsNobodyUpAndLosesWhatItCannotTake() {
        CountDownLatch gate = new CountDownLatch(1);
        ListenerQueue queue = new ListenerQueue(List.of(
                new JobListener() {
                    @Override
                    public void expired(ExpiredJob event) {
                        try {
                            gate.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                },
                recording));
        queue.start();
        for (int i = 0; i < 3 * ListenerQueue.CAPACITY; i++) {
            queue.expired(event());
        }
        assertThat(told).isEmpty();
        gate.countDown();
        queue.stop();
        assertThat(told).hasSizeBetween(ListenerQueue.CAPACITY, ListenerQueue.CAPACITY + 1);
    }

    @Test
    void whatIsLeftIsToldWhenTheNodeStops() {
        ListenerQueue queue = new ListenerQueue(List.of(recording));
        queue.start();
        for (int i = 0; i < 1_000; i++) {
            queue.expired(event());
        }
        queue.stop();
        assertThat(told).hasSize(1_000);
        queue.expired(event());
        assertThat(told).hasSize(1_000);
    }
}
