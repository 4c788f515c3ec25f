package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Jobs are found by their tags, which are labels, and by their metadata, named values that the handler can read as well.
 *
 * <pre>
 * "invoice for acme"
 * tagged eu: 1 of 2
 * of tenant acme: 1 of 2
 * </pre>
 */
final class TagsAndMetadata implements Example {

    @Job("invoice")
    String invoice(JobContext ctx) {
        return "invoice for " + ctx.metadata().get("tenant");
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId acme = muster.jobs()
                    .enqueue(JobRequest.of("invoice").tags("monthly", "eu").metadata("tenant", "acme"));
            muster.jobs().enqueue(JobRequest.of("invoice").tags("monthly", "us").metadata("tenant", "globex"));
            out.println(
                    muster.jobs().await(acme, Duration.ofSeconds(30)).result().orElseThrow());

            List<JobInfo> monthly = muster.jobs().list(JobQuery.all().tags("monthly"));
            List<JobInfo> eu = muster.jobs().list(JobQuery.all().tags("monthly", "eu"));
            List<JobInfo> ofAcme = muster.jobs().list(JobQuery.all().metadata("tenant", "acme"));
            out.println("tagged eu: " + eu.size() + " of " + monthly.size());
            out.println("of tenant acme: " + ofAcme.size() + " of " + monthly.size());
        }
    }
}
