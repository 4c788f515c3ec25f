package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * With {@code maxAttempts = 1} a handler is never entered twice, also not after a crash of its node: for work that must
 * rather be lost than repeated. Whether to repeat it is then a person's decision.
 *
 * <pre>
 * FAILED, entered: 1
 * </pre>
 */
final class RunAtMostOnce implements Example {
    private final AtomicInteger entered = new AtomicInteger();

    @Job(value = "wire_transfer", maxAttempts = 1)
    void wireTransfer() {
        entered.incrementAndGet();
        throw new IllegalStateException("no answer from the bank: the money may be on its way");
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId id = muster.jobs().enqueue(JobRequest.of("wire_transfer"));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.status() + ", entered: " + entered);
        }
    }
}
