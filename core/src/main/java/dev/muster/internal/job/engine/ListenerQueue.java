package dev.muster.internal.job.engine;

import dev.muster.internal.runtime.LogContext;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the listeners of a node on a separate thread, so that no job waits for a listener. */
public final class ListenerQueue implements JobListener {
    private static final Logger log = LoggerFactory.getLogger(ListenerQueue.class);
    static final int CAPACITY = 10_000;

    /** How long a stopping node waits until its listeners have handled the last events. */
    private static final Duration LAST_EVENTS = Duration.ofSeconds(2);

    private static final Consumer<JobListener> END = listener -> {};

    private final List<JobListener> listeners;
    private final BlockingQueue<Consumer<JobListener>> events = new LinkedBlockingQueue<>(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean stopping;
    private volatile @Nullable Thread thread;

    public ListenerQueue(List<JobListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** Starts to call the listeners. */
    public synchronized void start() {
        Thread teller = new Thread(LogContext.inherit("listeners", this::tellAll), "muster-listeners");
        teller.setDaemon(true);
        thread = teller;
        teller.start();
    }

    /** Lets the listeners handle the remaining events, for at most {@link #LAST_EVENTS}. */
    public synchronized void stop() {
        Thread teller = thread;
        if (teller == null || stopping) {
            return;
        }
        stopping = true;
        events.offer(END);
        try {
            TimeUnit.MILLISECONDS.timedJoin(teller, LAST_EVENTS.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (teller.isAlive()) {
            log.warn("{} job events were not passed to listeners, because one of them is too slow", events.size());
            events.clear();
            teller.interrupt();
        }
    }

    @Override
    public void attemptFailed(FailedAttempt event) {
        add(listener -> listener.attemptFailed(event));
    }

    @Override
    public void deadLetter(DeadLetter event) {
        add(listener -> listener.deadLetter(event));
    }

    @Override
    public void expired(ExpiredJob event) {
        add(listener -> listener.expired(event));
    }

    private void add(Consumer<JobListener> event) {
        if (!stopping && !events.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    private void tellAll() {
        try {
            while (true) {
                Consumer<JobListener> event = stopping ? events.poll() : events.take();
                if (event == null || event == END && events.isEmpty()) {
                    return;
                }
                for (JobListener listener : listeners) {
                    tell(listener, event);
                }
                if (!stopping) {
                    // A listener may have left the interrupt flag set, which would end this thread.
                    Thread.interrupted();
                }
                reportDropped();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tell(JobListener listener, Consumer<JobListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | Error e) {
            log.warn(
                    "listener={} failed; it does not get this event again",
                    listener.getClass().getName(),
                    e);
        }
    }

    private void reportDropped() {
        if (events.isEmpty()) {
            long missed = dropped.getAndSet(0);
            if (missed > 0) {
                log.warn(
                        "{} job events were not passed to listeners: they are too slow, and {} events were waiting",
                        missed,
                        CAPACITY);
            }
        }
    }
}
