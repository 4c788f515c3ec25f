package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.RetryPolicy;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A handler is a lambda instead of an annotated method, with the same options: queue, priority, retries, timeout.
 *
 * <pre>
 * tidied up
 * "sent to ada@example.com" from queue mail
 * </pre>
 */
final class HandlerWithoutAnnotation implements Example {
    record Welcome(String address) {}

    static final JobType<Welcome, String> WELCOME = JobType.of("welcome_mail", Welcome.class, String.class);

    @Override
    public void run(DataSource database, PrintStream out) {
        JobHandler welcome = JobHandler.of(WELCOME)
                .queue("mail")
                .retry(RetryPolicy.exponential(5, Duration.ofSeconds(2), Duration.ofMinutes(5))
                        .withNoRetryOn(IllegalArgumentException.class))
                .timeout(Duration.ofSeconds(30))
                .handle((ctx, args) -> "sent to " + args.address());
        // run(…) instead of handle(…): this job has no result, and no arguments either
        JobHandler tidyUp = JobHandler.named("tidy_up").run((ctx, none) -> out.println("tidied up"));
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .register(welcome)
                .register(tidyUp)
                .build()) {
            muster.start();
            muster.jobs().await(muster.jobs().enqueue(JobRequest.of("tidy_up")), Duration.ofSeconds(30));
            JobId id = muster.jobs().enqueue(WELCOME, new Welcome("ada@example.com"));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.result().orElseThrow() + " from queue " + job.queue());
        }
    }
}
