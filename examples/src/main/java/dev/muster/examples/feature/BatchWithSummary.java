package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchSummary;
import dev.muster.job.BatchId;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import javax.sql.DataSource;

/**
 * Jobs that belong together, and a job that runs when all of them have ended and knows what became of them.
 *
 * <pre>
 * nightly_import failed: 2 of 3 files imported
 * </pre>
 */
final class BatchWithSummary implements Example {
    private final BlockingQueue<String> reports = new ArrayBlockingQueue<>(1);

    @Job(value = "import_file", maxAttempts = 1)
    void importFile(String file) {
        if (file.isBlank()) {
            throw new IllegalArgumentException("no file");
        }
    }

    @Job("report_import")
    void report(JobContext ctx) {
        BatchSummary batch = BatchSummary.of(ctx);
        reports.add(batch.name() + " " + batch.status().text() + ": "
                + batch.counts().completed() + " of " + batch.counts().total() + " files imported");
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            BatchId batch = muster.batches()
                    .create(BatchRequest.of("nightly_import").onComplete(JobRequest.of("report_import")));
            for (String file : List.of("orders.csv", "", "items.csv")) {
                muster.jobs().enqueue(JobRequest.of("import_file", file).batch(batch));
            }
            muster.batches().seal(batch);
            out.println(reports.take());
        }
    }
}
