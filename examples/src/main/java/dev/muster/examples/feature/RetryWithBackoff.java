package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A handler that throws is run again after a wait that doubles from attempt to attempt, until it succeeds or its attempts
 * are used up. An exception that no retry can help is excepted by {@code noRetryOn}.
 *
 * <pre>
 * prices.csv: COMPLETED, attempt 3 of 5
 * typo.csv: FAILED, attempt 1 of 5
 * </pre>
 */
final class RetryWithBackoff implements Example {

    @Job(
            value = "download",
            maxAttempts = 5,
            backoff = @Backoff(kind = Backoff.Kind.EXPONENTIAL, delay = "50ms", cap = "5m"),
            noRetryOn = IllegalArgumentException.class)
    void download(JobContext ctx, String file) {
        if (file.startsWith("typo")) {
            throw new IllegalArgumentException("there is no " + file);
        }
        if (ctx.attempt() < 3) {
            throw new IllegalStateException("connection refused");
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            for (String file : new String[] {"prices.csv", "typo.csv"}) {
                JobId id = muster.jobs().enqueue("download", file);
                JobInfo job = muster.jobs().await(id, Duration.ofSeconds(30));
                out.println(file + ": " + job.status() + ", attempt " + job.attempt() + " of " + job.maxAttempts());
            }
        }
    }
}
