package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A handler says how far it is and keeps log lines with its job, for whoever looks at the job later. Both are written in the
 * background; closing the node writes what is left.
 *
 * <pre>
 * 100 % last file read
 * info: read 2 files
 * warn: prices.csv has 3 empty lines
 * </pre>
 */
final class ProgressAndLog implements Example {

    @Job("import")
    void importFiles(JobContext ctx) {
        ctx.progress(50, "first file read");
        ctx.log().info("read {} files", 2);
        ctx.log().warn("{} has {} empty lines", "prices.csv", 3);
        ctx.progress(100, "last file read");
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        JobId id;
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            id = muster.jobs().enqueue(JobRequest.of("import"));
            muster.jobs().await(id, Duration.ofSeconds(30));
        }
        try (Muster client = Muster.builder().dataSource(database).build()) { // not started: it looks and runs nothing
            JobInfo job = client.jobs().find(id).orElseThrow();
            job.progress()
                    .ifPresent(it ->
                            out.println(it.percent() + " % " + it.message().orElse("")));
            client.jobs().logs(id, 0, 10).forEach(line -> out.println(line.level() + ": " + line.message()));
        }
    }
}
