package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A queue is paused in the whole cluster, say while the mail server is down. Jobs can still be enqueued; none of that queue
 * starts until it is resumed. Other queues continue.
 *
 * <pre>
 * mail: PENDING, because queue 'mail' has been paused
 * mail: COMPLETED
 * </pre>
 */
final class PauseQueue implements Example {

    @Job(value = "send_mail", queue = "mail")
    void sendMail(String address) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            muster.queues().pause("mail");
            JobId mail = muster.jobs().enqueue("send_mail", "ada@example.com");
            var paused = muster.jobs().find(mail).orElseThrow();
            String reason = paused.waitingReason().orElseThrow().replaceFirst(" since .*", "");
            out.println("mail: " + paused.status() + ", because " + reason);

            muster.queues().resume("mail");
            out.println(
                    "mail: " + muster.jobs().await(mail, Duration.ofSeconds(30)).status());
        }
    }
}
