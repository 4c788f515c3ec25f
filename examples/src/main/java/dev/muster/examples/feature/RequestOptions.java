package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A request says more about its job than name and arguments: when it is due, how urgent it is, what it waits for. What a
 * request does not say comes from the handler.
 *
 * <pre>
 * COMPLETED HIGH [signup, eu]
 * </pre>
 */
final class RequestOptions implements Example {

    @Job("import")
    void importCustomers() {}

    @Job("audit")
    void audit() {}

    @Job(value = "welcome_mail", queue = "mail", timeout = "30s")
    void welcome(String address) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Jobs jobs = muster.jobs();
            JobId imported = jobs.enqueue(JobRequest.of("import"));
            JobId audited = jobs.enqueue(JobRequest.of("audit"));
            JobId mail = jobs.enqueue(JobRequest.of("welcome_mail", "ada@example.com")
                    .delay(Duration.ofMillis(100)) // or .at(instant); by the database's clock
                    .priority(Priority.HIGH)
                    .key("welcome-42") // the same key gives the same job, also after it has ended
                    .tags("signup", "eu") // to find it by
                    .expiresIn(Duration.ofHours(1)) // not worth running later than this
                    .dependsOn(imported) // waits until that job has completed
                    .dependsOnAnyOutcome(audited)); // waits until that job has ended, however it ends

            var job = jobs.await(mail, Duration.ofSeconds(30));
            out.println(job.status() + " " + job.priority() + " " + job.tags());
        }
    }
}
