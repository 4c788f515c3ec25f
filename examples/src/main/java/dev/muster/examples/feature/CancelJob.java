package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * A job that no node has started is cancelled at once, and one that runs is asked to stop. The thread of the latter is
 * interrupted and {@code ctx.isCancelled()} turns true.
 *
 * <pre>
 * pending job: CANCELLED
 * running job: REQUESTED
 * running job ended as CANCELLED
 * </pre>
 */
final class CancelJob implements Example {
    private final CountDownLatch running = new CountDownLatch(1);

    @Job("crawl")
    void crawl(JobContext ctx) throws InterruptedException {
        running.countDown();
        while (!ctx.isCancelled()) {
            Thread.sleep(60_000); // ends with an InterruptedException when the job is cancelled
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Jobs jobs = muster.jobs();
            JobId pending = jobs.enqueue(JobRequest.of("crawl").delay(Duration.ofHours(1)));
            out.println("pending job: " + jobs.cancel(pending));

            JobId started = jobs.enqueue(JobRequest.of("crawl"));
            running.await();
            out.println("running job: " + jobs.cancel(started));
            out.println("running job ended as "
                    + jobs.await(started, Duration.ofSeconds(30)).status());
        }
    }
}
