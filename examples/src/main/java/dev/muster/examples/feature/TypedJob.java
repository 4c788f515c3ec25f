package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobType;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A {@code JobType} ties a job's name to the types of its arguments and its result, so that the compiler checks both sides.
 * Arguments and results are stored as plain JSON with names in snake_case, without any class name.
 *
 * <pre>
 * stored arguments: {"address": "ada@example.com", "customer_id": 42}
 * typed result: Sent[messageId=welcome-42]
 * </pre>
 */
final class TypedJob implements Example {
    record Welcome(String address, long customerId) {}

    record Sent(String messageId) {}

    static final JobType<Welcome, Sent> WELCOME = JobType.of("welcome_mail", Welcome.class, Sent.class);

    @Job(
            value = "welcome_mail",
            queue = "mail",
            maxAttempts = 5,
            timeout = "30s",
            backoff = @Backoff(kind = Backoff.Kind.EXPONENTIAL, delay = "2s", cap = "5m"),
            noRetryOn = IllegalArgumentException.class)
    Sent welcome(JobContext ctx, Welcome args) {
        return new Sent("welcome-" + args.customerId());
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId id = muster.jobs().enqueue(WELCOME, new Welcome("ada@example.com", 42));
            JobInfo job = muster.jobs().await(id, Duration.ofSeconds(30));
            Sent sent = muster.jobs().result(WELCOME, job);
            out.println("stored arguments: " + job.args());
            out.println("typed result: " + sent);
        }
    }
}
