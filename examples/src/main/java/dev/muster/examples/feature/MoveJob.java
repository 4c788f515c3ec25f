package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Cancellation;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A job that no node has taken yet is given another due time and another priority. One that has ended stays as it is.
 *
 * <pre>
 * moved: true, priority changed: true
 * COMPLETED HIGH
 * moved: false, priority changed: false, ALREADY_ENDED
 * </pre>
 */
final class MoveJob implements Example {

    @Job("remind")
    void remind(String of) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Jobs jobs = muster.jobs();
            JobId id = jobs.enqueue(JobRequest.of("remind", "dentist").delay(Duration.ofDays(30)));
            boolean changed = jobs.reprioritise(id, Priority.HIGH); // it goes behind the others there
            boolean moved = jobs.reschedule(id, Duration.ZERO); // now; or a duration from now, or an instant
            out.println("moved: " + moved + ", priority changed: " + changed);

            var job = jobs.await(id, Duration.ofSeconds(30));
            out.println(job.status() + " " + job.priority());
            changed = jobs.reprioritise(id, Priority.LOW);
            moved = jobs.reschedule(id, Duration.ofHours(1));
            Cancellation cancelled = jobs.cancel(id);
            out.println("moved: " + moved + ", priority changed: " + changed + ", " + cancelled);
        }
    }
}
