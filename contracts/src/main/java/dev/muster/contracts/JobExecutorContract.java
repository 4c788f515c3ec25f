package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobExecutor;
import dev.muster.job.JobId;
import dev.muster.job.JobTask;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Muster relies on in a {@link JobExecutor}. Subclasses open the one that they test. */
public abstract class JobExecutorContract {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final CountDownLatch release = new CountDownLatch(1);
    private JobExecutor executor;

    /** An executor with nothing to do. */
    protected abstract JobExecutor open() throws Exception;

    @BeforeEach
    void openExecutor() throws Exception {
        executor = open();
    }

    @AfterEach
    void closeExecutor() {
        release.countDown();
        executor.close(TIMEOUT);
    }

    @Test
    void itHasRoomForOneJobAtLeast() {
        assertThat(executor.capacity()).isPositive();
    }

    @Test
    void asManyTasksAsItsCapacityRunAtTheSameTimeAndNoneMakesItWait() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(executor.capacity());
        List<Task> tasks = tasks(executor.capacity(), () -> {
            running.countDown();
            awaitRelease();
        });
        tasks.forEach(executor::execute);

        assertThat(running.await(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS))
                .as("all of them are running")
                .isTrue();
        release.countDown();
        for (Task task : tasks) {
            task.awaitEnd();
        }
    }

    @Test
    void aTaskThatHasEndedMakesRoomForTheNext() throws InterruptedException {
        for (Task task : tasks(3 * executor.capacity() + 1, () -> {})) {
            executor.execute(task);
            task.awaitEnd();
        }
    }

    @Test
    void eachTaskIsRunOnce() throws InterruptedException {
        List<Task> tasks = tasks(5, () -> {});
        for (Task task : tasks) {
            executor.execute(task);
            task.awaitEnd();
        }
        executor.close(TIMEOUT);
        assertThat(tasks).extracting(task -> task.runs.get()).containsOnly(1);
    }

    @Test
    void anInterruptLeavesTheThreadOfATaskUsable() throws InterruptedException {
        for (Task task :
                tasks(3 * executor.capacity(), () -> Thread.currentThread().interrupt())) {
            executor.execute(task);
            task.awaitEnd();
        }
    }

    /** A node that stops closes its executors even if a handler does not react. */
    @Test
    void closeGivesUpInTimeAndCanBeRepeated() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        executor.execute(new Task(0, () -> {
            running.countDown();
            awaitRelease();
        }));
        assertThat(running.await(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)).isTrue();

        CountDownLatch closed = new CountDownLatch(1);
        Thread closing = new Thread(() -> {
            executor.close(Duration.ofMillis(100));
            executor.close(Duration.ZERO);
            closed.countDown();
        });
        closing.start();

        assertThat(closed.await(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS))
                .as("closed while a task was running")
                .isTrue();
    }

    private List<Task> tasks(int count, Runnable code) {
        return IntStream.range(0, count).mapToObj(i -> new Task(i, code)).toList();
    }

    /** Ignores interruption, like a bad handler. */
    private void awaitRelease() {
        boolean interrupted = false;
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Task implements JobTask {
        private final int number;
        private final Runnable code;
        private final AtomicInteger runs = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);

        Task(int number, Runnable code) {
            this.number = number;
            this.code = code;
        }

        @Override
        public JobId job() {
            return JobId.of(new UUID(0x7000, 0x8000000000000000L + number));
        }

        @Override
        public String name() {
            return "job";
        }

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public void run() {
            runs.incrementAndGet();
            code.run();
            // As Muster does: an interrupt that was meant for the job does not outlive it.
            Thread.interrupted();
            ended.countDown();
        }

        @Override
        public void interrupt() {
            throw new UnsupportedOperationException("the contract does not stop tasks");
        }

        void awaitEnd() throws InterruptedException {
            assertThat(ended.await(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS))
                    .as("task %d has ended", number)
                    .isTrue();
        }
    }
}
