package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A job that is not worth running late ends as expired if no node has taken it in time. Here its queue is paused, as if all
 * nodes were busy.
 *
 * <pre>
 * EXPIRED, attempt 0
 * </pre>
 */
final class ExpiringJob implements Example {

    @Job(value = "login_code", queue = "mail")
    void loginCode(String address) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            muster.queues().pause("mail");
            JobId id = muster.jobs()
                    .enqueue(JobRequest.of("login_code", "ada@example.com").expiresIn(Duration.ofMillis(200)));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.status() + ", attempt " + job.attempt());
        }
    }
}
