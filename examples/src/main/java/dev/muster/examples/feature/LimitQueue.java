package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueLimit;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A limit on how many jobs of a queue run at a time, on all nodes together, is set while the cluster runs.
 *
 * <pre>
 * the third mail: PENDING, because queue 'mail' runs 2 of at most 2 jobs
 * 10 mails sent, at most 2 at a time
 * </pre>
 */
final class LimitQueue implements Example {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch bothSending = new CountDownLatch(2);
    private final CountDownLatch serverAnswers = new CountDownLatch(1);

    @Job(value = "send_mail", queue = "mail")
    void sendMail() throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        bothSending.countDown();
        serverAnswers.await();
        running.decrementAndGet();
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            muster.queues().limit("mail", QueueLimit.maxRunning(2));
            List<JobId> mails = muster.jobs().enqueueAll(Collections.nCopies(10, JobRequest.of("send_mail")));
            bothSending.await();
            var third = muster.jobs().find(mails.get(2)).orElseThrow();
            out.println("the third mail: " + third.status() + ", because "
                    + third.waitingReason().orElseThrow());

            serverAnswers.countDown();
            mails.forEach(mail -> muster.jobs().await(mail, Duration.ofSeconds(30)));
            out.println(mails.size() + " mails sent, at most " + most + " at a time");
        }
    }
}
