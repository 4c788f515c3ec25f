package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobHandler;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.RetryPolicy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * A retry policy of your own decides how often a job is tried, after which failures, and how long it waits.
 *
 * <pre>
 * attempt 1 failed, next one in 20 ms
 * attempt 2 failed, next one in 20 ms
 * attempt 3 failed, next one in 300 ms
 * COMPLETED, attempt 4
 * </pre>
 */
final class OwnRetryPolicy implements Example {

    /** Two quick attempts for an error that passes at once, then fewer and fewer. */
    static final class QuickThenPatient implements RetryPolicy {
        @Override
        public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
            return attempt < 3 ? Duration.ofMillis(20) : Duration.ofMillis(100L * attempt);
        }

        @Override
        public int maxAttempts() {
            return 10;
        }

        @Override
        public boolean retries(Throwable failure) {
            return !(failure instanceof IllegalArgumentException);
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        JobHandler handler = JobHandler.named("fetch")
                .retry(new QuickThenPatient())
                .run((ctx, none) -> {
                    if (ctx.attempt() < 4) {
                        throw new IllegalStateException("no answer");
                    }
                });
        JobListener listener = new JobListener() {
            @Override
            public void attemptFailed(FailedAttempt failed) {
                out.println("attempt " + failed.attempt() + " failed, next one in "
                        + failed.retryIn().toMillis() + " ms");
            }
        };
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .register(handler)
                .listener(listener)
                .build()) {
            muster.start();
            var id = muster.jobs().enqueue(JobRequest.of("fetch"));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.status() + ", attempt " + job.attempt());
        }
    }
}
