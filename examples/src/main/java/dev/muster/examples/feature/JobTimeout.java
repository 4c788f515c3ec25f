package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * An attempt that runs longer than its timeout is interrupted and counts as failed. The handler says how long its attempts
 * may run; a request may say otherwise.
 *
 * <pre>
 * FAILED: timed out after 200 ms
 * </pre>
 */
final class JobTimeout implements Example {

    @Job(value = "slow_query", timeout = "30s", maxAttempts = 1)
    void slowQuery() throws InterruptedException {
        Thread.sleep(60_000); // most calls that block end with an exception when the thread is interrupted
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            var id = muster.jobs().enqueue(JobRequest.of("slow_query").timeout(Duration.ofMillis(200)));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            String error = job.error().orElseThrow().lines().findFirst().orElseThrow();
            out.println(job.status() + ": " + error.replaceFirst("^[\\w.$]+: ", ""));
        }
    }
}
