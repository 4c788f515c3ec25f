package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A handler that finds that it is too early runs again later, without counting an attempt. It may do so forever, so a
 * snooze is for "not yet" and a failure for "it went wrong".
 *
 * <pre>
 * looked 3 times
 * COMPLETED on attempt 1
 * </pre>
 */
final class SnoozeJob implements Example {
    private final AtomicInteger looks = new AtomicInteger();

    @Job("ship")
    String ship(JobContext ctx) {
        if (looks.incrementAndGet() < 3) { // the payment has not arrived
            throw ctx.snooze(Duration.ofMillis(100));
        }
        return "shipped";
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            var id = muster.jobs().enqueue(JobRequest.of("ship"));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println("looked " + looks + " times");
            out.println(job.status() + " on attempt " + job.attempt());
        }
    }
}
