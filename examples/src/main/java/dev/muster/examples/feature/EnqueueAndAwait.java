package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Enqueues a job, waits for its end and reads its result. Here one process enqueues the job and runs it; in a cluster any
 * node that has the handler may run it.
 *
 * <pre>
 * COMPLETED "Hello, Ada"
 * </pre>
 */
final class EnqueueAndAwait implements Example {

    @Job("greet")
    String greet(String name) {
        return "Hello, " + name;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId id = muster.jobs().enqueue("greet", "Ada");
            JobInfo job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.status() + " " + job.result().orElseThrow());
        }
    }
}
