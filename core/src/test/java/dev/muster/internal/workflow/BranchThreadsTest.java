package dev.muster.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where branches run. */
class BranchThreadsTest {
    /** It runs tasks when the test says so, and refuses them while it has no thread. */
    private static final class Scripted extends AbstractExecutorService {
        final Deque<Runnable> begun = new ArrayDeque<>();
        Throwable refusal;

        @Override
        public void execute(Runnable task) {
            if (refusal instanceof Error error) {
                throw error;
            }
            if (refusal instanceof RuntimeException exception) {
                throw exception;
            }
            begun.add(task);
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private final Scripted threads = new Scripted();
    private final BranchThreads branches = new BranchThreads(1, threads);

    @Test
    void aBranchBeginsIfThereIsAThreadForIt() {
        assertThat(branches.begin(() -> {})).isTrue();
        assertThat(branches.begin(() -> {})).as("there is but one").isFalse();

        threads.begun.remove().run();

        assertThat(branches.begin(() -> {})).as("it is free again").isTrue();
    }

    /** The run would end while an earlier branch of it is at work, and another node might execute the same step at the same time. */
    @Test
    void aThreadThatCannotBeHadIsNoErrorAndTakesNoPlace() {
        for (Throwable refusal :
                List.of(new OutOfMemoryError("unable to create native thread"), new RejectedExecutionException())) {
            threads.refusal = refusal;
            // JUnit would end the whole run with an OutOfMemoryError.
            assertThatCode(() -> assertThat(branches.begin(() -> {})).isFalse()).doesNotThrowAnyException();
        }
        threads.refusal = null;
        assertThat(branches.begin(() -> {})).isTrue();
    }
}
