package dev.muster.internal.worker;

import dev.muster.testing.Sizes;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

/** Threads that wait at the buffer for a job. Lincheck tries different orders of their steps. */
class LocalBufferWaitingTest {
    private static final List<OpenClaim> CLAIMS = Claims.threeOrdinaryAndThreeAlone();
    private static final int INVOCATIONS = Sizes.of(10, 30);

    @Test
    void noThreadWaitsBesideAJob() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            LocalBuffer buffer = new LocalBuffer(new SuspectTurn());
            AtomicInteger taken = new AtomicInteger();
            Thread one = taking(buffer, taken);
            Thread other = taking(buffer, taken);
            buffer.addAll(List.of(CLAIMS.get(0)));
            buffer.addAll(List.of(CLAIMS.get(1)));
            join(one);
            join(other);
            assertTaken(2, taken);
        });
    }

    @Test
    void aThreadInterruptedOnItsWayToAJobSendsAnother() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            LocalBuffer buffer = new LocalBuffer(new SuspectTurn());
            AtomicInteger taken = new AtomicInteger();
            Thread interrupted = taking(buffer, taken);
            Thread other = taking(buffer, taken);
            buffer.addAll(List.of(CLAIMS.get(0)));
            interrupted.interrupt();
            join(interrupted);
            if (taken.get() == 0) {
                join(other);
            }
            buffer.close();
            join(other);
            assertTaken(1, taken);
        });
    }

    @Test
    void theNextSuspectGoesWhenTheOneOutIsClosed() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            SuspectTurn suspects = new SuspectTurn();
            LocalBuffer buffer = new LocalBuffer(suspects);
            AtomicInteger taken = new AtomicInteger();
            buffer.addAll(List.of(CLAIMS.get(3), CLAIMS.get(4)));
            OpenClaim first = buffer.poll();
            Thread next = taking(buffer, taken);
            assertTaken(0, taken);
            suspects.closed(first);
            join(next);
            assertTaken(1, taken);
        });
    }

    @Test
    void aSuspectOfAnotherExecutorGoesWhenTheOneOutIsClosed() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            SuspectTurn suspects = new SuspectTurn();
            LocalBuffer buffer = new LocalBuffer(suspects);
            LocalBuffer other = new LocalBuffer(suspects);
            AtomicInteger taken = new AtomicInteger();
            buffer.addAll(List.of(CLAIMS.get(3)));
            OpenClaim first = buffer.poll();
            other.addAll(List.of(CLAIMS.get(4)));
            Thread next = taking(other, taken);
            assertTaken(0, taken);
            suspects.closed(first);
            join(next);
            assertTaken(1, taken);
        });
    }

    @Test
    void whoeverWaitsGoesWhenTheBufferCloses() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            LocalBuffer buffer = new LocalBuffer(new SuspectTurn());
            AtomicInteger taken = new AtomicInteger();
            Thread one = taking(buffer, taken);
            Thread other = taking(buffer, taken);
            buffer.close();
            join(one);
            join(other);
            assertTaken(0, taken);
        });
    }

    private static Thread taking(LocalBuffer buffer, AtomicInteger taken) {
        Thread thread = new Thread(() -> {
            try {
                if (buffer.take() != null) {
                    taken.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        return thread;
    }

    /** Plain: Lincheck cannot look into AssertJ. */
    private static void assertTaken(int expected, AtomicInteger taken) {
        if (taken.get() != expected) {
            throw new AssertionError("taken: " + taken.get() + " instead of " + expected);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
