package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/**
 * Runs one job after a delay and another at a given instant, by the database's clock.
 *
 * <pre>
 * tea: COMPLETED, too early: false
 * dentist: PENDING
 * </pre>
 */
final class DelayedJob implements Example {

    @Job("remind")
    void remind(String of) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Jobs jobs = muster.jobs();
            JobId tea = jobs.enqueue(JobRequest.of("remind", "tea").delay(Duration.ofMillis(200)));
            JobId dentist = jobs.enqueue(
                    JobRequest.of("remind", "dentist").at(Instant.now().plus(Duration.ofDays(30))));

            JobInfo drunk = jobs.await(tea, Duration.ofSeconds(30));
            boolean tooEarly = drunk.finishedAt().orElseThrow().isBefore(drunk.runAt());
            out.println("tea: " + drunk.status() + ", too early: " + tooEarly);
            out.println("dentist: " + jobs.find(dentist).orElseThrow().status());
        }
    }
}
