package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program whose node is not started: one thread enqueues one job after the other, and each until it is acknowledged. */
final class EnqueuingProgram implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EnqueuingProgram.class);

    /** No node runs it. */
    private static final String NAME = "left_alone";

    private final Muster muster;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final Thread thread = new Thread(this::enqueueAll, "enqueuing-program");
    private volatile boolean closed;

    EnqueuingProgram(String url) {
        this.muster =
                Muster.builder().config(MusterConfig.defaults()).database(url).build();
        thread.start();
    }

    private void enqueueAll() {
        while (!closed) {
            enqueue(JobRequest.of(NAME, "x").id(JobId.next()));
        }
    }

    private void enqueue(JobRequest request) {
        while (!closed) {
            try {
                muster.jobs().enqueue(request);
                acknowledged.incrementAndGet();
                return;
            } catch (DatabaseUnavailable e) {
                log.debug("not acknowledged", e);
            }
        }
    }

    /** Waits until this many more were acknowledged. */
    void awaitMore(int count, Duration limit) {
        int enough = acknowledged.get() + count;
        await("acknowledged").atMost(limit).until(() -> acknowledged.get() >= enough);
    }

    /** May be called again. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        muster.close();
    }
}
