package dev.muster.internal.job.engine;

import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobListener;
import dev.muster.runtime.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports a node's job events: to the log at once, and to the registered listeners on their own thread. */
public final class Listeners implements JobListener {
    private final FailureLog log;
    private final @Nullable ListenerQueue queue;

    /** @param registered the builder's listeners; if there are none, no thread is started */
    public Listeners(List<JobListener> registered, Clock clock) {
        this.log = new FailureLog(clock);
        this.queue = registered.isEmpty() ? null : new ListenerQueue(registered);
    }

    public void start() {
        log.start();
        if (queue != null) {
            queue.start();
        }
    }

    /** Lets the listeners handle the remaining events, for at most two seconds. */
    public void stop() {
        log.stop();
        if (queue != null) {
            queue.stop();
        }
    }

    @Override
    public void attemptFailed(FailedAttempt event) {
        log.attemptFailed(event);
        if (queue != null) {
            queue.attemptFailed(event);
        }
    }

    @Override
    public void deadLetter(DeadLetter event) {
        log.deadLetter(event);
        if (queue != null) {
            queue.deadLetter(event);
        }
    }

    @Override
    public void expired(ExpiredJob event) {
        log.expired(event);
        if (queue != null) {
            queue.expired(event);
        }
    }
}
