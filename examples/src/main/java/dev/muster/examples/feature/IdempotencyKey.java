package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Enqueued;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.KeyConflict;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Two requests under the same key give one job, also if the first one has ended meanwhile. Other arguments under the same
 * key are an error.
 *
 * <pre>
 * created: true
 * created: false, same job: true
 * charged: 1
 * other arguments: KeyConflict
 * </pre>
 */
final class IdempotencyKey implements Example {
    private final AtomicInteger charges = new AtomicInteger();

    @Job("charge")
    void charge(long order) {
        charges.incrementAndGet();
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobRequest request = JobRequest.of("charge", 42).key("order-42");
            Enqueued first = muster.jobs().submit(request);
            out.println("created: " + first.created());
            muster.jobs().await(first.id(), Duration.ofSeconds(30));

            Enqueued second = muster.jobs().submit(request);
            out.println("created: " + second.created() + ", same job: "
                    + second.id().equals(first.id()));
            out.println("charged: " + charges);
            try {
                muster.jobs().enqueue(JobRequest.of("charge", 43).key("order-42"));
            } catch (KeyConflict e) {
                out.println("other arguments: " + e.getClass().getSimpleName());
            }
        }
    }
}
