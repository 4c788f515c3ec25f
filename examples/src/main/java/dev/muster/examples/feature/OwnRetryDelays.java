package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobHandler;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.RetryPolicy;
import java.io.PrintStream;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A handler, or a rule of its retry policy, says when a failed job is tried again, in place of the backoff. The attempts
 * count as usual.
 *
 * <pre>
 * attempt 1 failed, next one in 150 ms: 429 Too Many Requests
 * attempt 2 failed, next one in 200 ms: no answer
 * COMPLETED, attempt 3
 * </pre>
 */
final class OwnRetryDelays implements Example {

    @Override
    public void run(DataSource database, PrintStream out) {
        RetryPolicy policy = RetryPolicy.attempts(5)
                .withDelays((attempt, failure) ->
                        failure instanceof HttpTimeoutException ? Duration.ofMillis(100 * attempt) : null);
        JobHandler handler = JobHandler.named("fetch").retry(policy).run((ctx, none) -> {
            switch (ctx.attempt()) {
                case 1 -> throw ctx.retryIn(Duration.ofMillis(150), "429 Too Many Requests");
                case 2 -> throw new HttpTimeoutException("no answer");
                default -> {}
            }
        });
        JobListener listener = new JobListener() {
            @Override
            public void attemptFailed(FailedAttempt failed) {
                out.println("attempt " + failed.attempt() + " failed, next one in "
                        + failed.retryIn().toMillis() + " ms: "
                        + failed.failure().orElseThrow().getMessage());
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
