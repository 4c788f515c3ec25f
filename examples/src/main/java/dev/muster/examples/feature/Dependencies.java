package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A job that depends on others waits until all of them have completed. If one of them fails, is cancelled or expires, the
 * job is cancelled.
 *
 * <pre>
 * report: WAITING
 * report: COMPLETED, after the imports: true
 * invoice: CANCELLED
 * </pre>
 */
final class Dependencies implements Example {

    @Job("import")
    void importFile(String file) {}

    @Job("report")
    void report() {}

    @Job(value = "charge", maxAttempts = 1)
    void charge() {
        throw new IllegalStateException("card declined");
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            Jobs jobs = muster.jobs();
            muster.migrate();
            JobId orders = jobs.enqueue("import", "orders.csv");
            JobId prices = jobs.enqueue("import", "prices.csv");
            JobId report = jobs.enqueue(JobRequest.of("report").dependsOn(orders, prices));
            JobId charge = jobs.enqueue(JobRequest.of("charge"));
            JobId invoice = jobs.enqueue(JobRequest.of("report").dependsOn(charge));
            out.println("report: " + jobs.find(report).orElseThrow().status());

            muster.start();
            var reported = jobs.await(report, Duration.ofSeconds(30));
            var imported = jobs.find(prices).orElseThrow().finishedAt().orElseThrow();
            boolean after = !reported.finishedAt().orElseThrow().isBefore(imported);
            out.println("report: " + reported.status() + ", after the imports: " + after);
            out.println(
                    "invoice: " + jobs.await(invoice, Duration.ofSeconds(30)).status());
        }
    }
}
