package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/**
 * Of the jobs that are due, those with a higher priority go first, whatever the order in which they were enqueued.
 *
 * <pre>
 * [alarm, customer, newsletter, statistics]
 * </pre>
 */
final class Priorities implements Example {
    private final List<String> order = new CopyOnWriteArrayList<>();

    @Job("send")
    void send(String what) {
        order.add(what);
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .set("worker.concurrency", "1") // one job at a time, so that the order can be seen
                .register(this)
                .build()) {
            Jobs jobs = muster.jobs();
            muster.migrate(); // the tables must be there, because the jobs are enqueued before the node starts
            JobId last = jobs.enqueue(JobRequest.of("send", "statistics").priority(Priority.BACKGROUND));
            jobs.enqueue("send", "newsletter");
            jobs.enqueue(JobRequest.of("send", "customer").priority(Priority.HIGH));
            jobs.enqueue(JobRequest.of("send", "alarm").priority(Priority.CRITICAL));

            muster.start();
            jobs.await(last, Duration.ofSeconds(30));
            out.println(order);
        }
    }
}
