package dev.muster.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits until something has happened in the database, by asking again and again, less and less often. */
public final class PollingWait {
    private static final long FIRST_POLL_MS = 5;
    private static final long MAX_POLL_MS = 250;

    private final String what;
    private final Duration timeout;
    private final Clock clock;

    /** @param what what it waits for, for messages: "job 42 to end" */
    public PollingWait(String what, Duration timeout, Clock clock) {
        this.what = what;
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Returns the first answer for which the wait is over, or the one after the timeout. */
    public <T> T until(Predicate<T> over, Supplier<T> question) {
        long start = clock.nanos();
        long pollMs = FIRST_POLL_MS;
        while (true) {
            T answer = ask(question);
            long left = timeout.toNanos() - (clock.nanos() - start);
            if (left <= 0 || over.test(answer)) {
                return answer;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(pollMs)));
            } catch (InterruptedException e) {
                throw new WaitInterrupted(what, e);
            }
            pollMs = Math.min(MAX_POLL_MS, pollMs * 2);
        }
    }

    /** A pool that is asked by an interrupted thread says that the database is away. */
    private <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (DatabaseUnavailable e) {
            if (Thread.interrupted()) {
                throw new WaitInterrupted(what, new InterruptedException());
            }
            throw e;
        }
    }
}
