package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Jobs with the same FIFO key run one after the other, in the order in which they were enqueued, on whichever nodes. The next one
 * waits until the one before has ended, through all its attempts. Jobs with other keys do not wait for them.
 *
 * <pre>
 * order 17: paid fails, paid, packed, sent
 * </pre>
 */
final class FifoKey implements Example {
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @Job(value = "order_event", maxAttempts = 3, backoff = @Backoff(delay = "50ms"))
    void orderEvent(JobContext job, String event) {
        if (event.equals("paid") && job.attempt() == 1) {
            events.add("paid fails");
            throw new IllegalStateException("the bank does not answer");
        }
        events.add(event);
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            List<JobId> jobs = muster.jobs()
                    .enqueueAll(Stream.of("paid", "packed", "sent")
                            .map(event -> JobRequest.of("order_event", event).fifo("order-17"))
                            .toList());
            muster.jobs().await(jobs.get(2), Duration.ofSeconds(30));
            out.println("order 17: " + String.join(", ", events));
        }
    }
}
