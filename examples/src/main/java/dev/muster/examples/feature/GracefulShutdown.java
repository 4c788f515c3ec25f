package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * A node that is closed waits for the jobs that run and hands back those that have not started. It waits up to
 * {@code worker.drain_timeout}; what is handed back is charged no attempt, and another node runs it.
 *
 * <pre>
 * first: COMPLETED, attempt 1
 * second: PENDING, attempt 0
 * </pre>
 */
final class GracefulShutdown implements Example {
    private final CountDownLatch running = new CountDownLatch(1);

    @Job("export")
    void export(String name) throws InterruptedException {
        running.countDown();
        Thread.sleep(1_000); // some work
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        JobId first;
        JobId second;
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .set("worker.concurrency", "1")
                .register(this)
                .build()) {
            muster.start();
            first = muster.jobs().enqueue("export", "first");
            second = muster.jobs().enqueue("export", "second");
            running.await();
        } // close() returns when the first export has ended
        try (Muster client = Muster.builder().dataSource(database).build()) {
            for (JobId id : new JobId[] {first, second}) {
                JobInfo job = client.jobs().find(id).orElseThrow();
                out.println(job.args().replace("\"", "") + ": " + job.status() + ", attempt " + job.attempt());
            }
        }
    }
}
