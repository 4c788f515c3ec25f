package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Cancels all live jobs that a query names, and retries all that have failed. Both work on any number of jobs.
 *
 * <pre>
 * cancelled: 2
 * failed and put back in the queue: 3
 * completed: 3
 * </pre>
 */
final class BulkOperations implements Example {
    private volatile boolean serverIsUp;

    @Job(value = "push", maxAttempts = 1)
    void push(String phone) {
        if (!serverIsUp) {
            throw new IllegalStateException("the push server is down");
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Jobs jobs = muster.jobs();
            JobRequest tomorrow = JobRequest.of("push", "123").tags("advert").delay(Duration.ofDays(1));
            jobs.enqueueAll(List.of(tomorrow, tomorrow));
            out.println("cancelled: "
                    + jobs.cancelAll(JobQuery.all().tags("advert")).cancelled());

            JobRequest now = JobRequest.of("push", "123");
            List<JobId> ids = jobs.enqueueAll(List.of(now, now, now));
            ids.forEach(id -> jobs.await(id, Duration.ofSeconds(30)));
            serverIsUp = true;
            JobQuery pushes = JobQuery.all().name("push");
            out.println("failed and put back in the queue: " + jobs.retryAll(pushes));
            ids.forEach(id -> jobs.await(id, Duration.ofSeconds(30)));
            out.println("completed: "
                    + jobs.list(pushes.status(JobStatus.COMPLETED)).size());
        }
    }
}
