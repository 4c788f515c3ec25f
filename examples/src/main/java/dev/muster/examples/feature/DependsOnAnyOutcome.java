package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A job that has to be done however another job ends, such as cleaning up, waits for the end of that job and runs also if it
 * failed. It can ask how the other one ended.
 *
 * <pre>
 * upload: FAILED
 * clean_up: COMPLETED "cleaned up after FAILED"
 * </pre>
 */
final class DependsOnAnyOutcome implements Example {

    @Job(value = "upload", maxAttempts = 1)
    void upload() {
        throw new IllegalStateException("no space left");
    }

    @Job("clean_up")
    String cleanUp(JobContext ctx, String upload) {
        JobStatus ended = ctx.jobs().find(JobId.of(upload)).orElseThrow().status();
        return "cleaned up after " + ended;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId upload = muster.jobs().enqueue(JobRequest.of("upload"));
            JobId cleanUp = muster.jobs()
                    .enqueue(JobRequest.of("clean_up", upload.toString()).dependsOnAnyOutcome(upload));
            var cleaned = muster.jobs().await(cleanUp, Duration.ofSeconds(30));
            out.println("upload: " + muster.jobs().find(upload).orElseThrow().status());
            out.println("clean_up: " + cleaned.status() + " " + cleaned.result().orElseThrow());
        }
    }
}
