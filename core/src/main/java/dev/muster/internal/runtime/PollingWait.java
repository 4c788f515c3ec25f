package dev.muster.internal.runtime;

import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.WaitInterrupted;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits until something has happened in the cluster, by asking again and again, less and less often. */
public final class PollingWait {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

    private final String what;
    private final Duration timeout;
    private final Clock clock;
    private final Duration firstPause;
    private final Duration longestPause;

    /** @param what what it waits for, for messages: "job 42 to end" */
    public PollingWait(String what, Duration timeout, Clock clock) {
        this(what, timeout, clock, FIRST_PAUSE, LONGEST_PAUSE);
    }

    /** @param longestPause each pause is twice as long as the one before, up to this */
    public PollingWait(String what, Duration timeout, Clock clock, Duration firstPause, Duration longestPause) {
        this.what = what;
        this.timeout = timeout;
        this.clock = clock;
        this.firstPause = firstPause;
        this.longestPause = longestPause;
    }

    /** Returns the first answer for which the wait is over, or the one after the timeout. */
    public <T> T until(Predicate<T> over, Supplier<T> question) {
        long start = clock.nanos();
        long pause = firstPause.toNanos();
        while (true) {
            T answer = ask(question);
            long left = Durations.nanos(timeout) - (clock.nanos() - start);
            if (left <= 0 || over.test(answer)) {
                return answer;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, pause));
            } catch (InterruptedException e) {
                throw new WaitInterrupted(what, e);
            }
            pause = Math.min(longestPause.toNanos(), pause * 2);
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
