package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.DeadLetter;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;

/**
 * A job whose attempts are used up is a dead letter, of which the node tells its listeners. It stays in history as failed;
 * once the cause is repaired, {@code retry} puts it back in the queue.
 *
 * <pre>
 * dead letter: sync failed after 2 attempts: out of order
 * put back in the queue: true
 * COMPLETED on attempt 1
 * </pre>
 */
final class DeadLetters implements Example {
    private volatile boolean repaired;

    @Job(value = "sync", maxAttempts = 2, backoff = @Backoff(delay = "50ms"))
    void sync() {
        if (!repaired) {
            throw new IllegalStateException("out of order");
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        BlockingQueue<DeadLetter> deadLetters = new LinkedBlockingQueue<>();
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .register(this)
                .onDeadLetter(deadLetters::add)
                .build()) {
            muster.start();
            JobId id = muster.jobs().enqueue(JobRequest.of("sync"));
            DeadLetter dead = deadLetters.take();
            out.println("dead letter: " + dead.name() + " failed after " + dead.attempt() + " attempts: "
                    + dead.failure().orElseThrow().getMessage());

            repaired = true;
            out.println("put back in the queue: " + muster.jobs().retry(id));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println(job.status() + " on attempt " + job.attempt());
        }
    }
}
