package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Enqueues many jobs by one call, which is much faster than one call per job. The call enqueues all of them or, if one is
 * refused, none.
 *
 * <pre>
 * refused: true, jobs: 0
 * completed: 100
 * </pre>
 */
final class EnqueueBatch implements Example {

    @Job("resize")
    int resize(int picture) {
        return picture;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobQuery all = JobQuery.all().name("resize").limit(1_000);
            try {
                muster.jobs().enqueueAll(List.of(JobRequest.of("resize", 1), JobRequest.of("resize", "no number")));
            } catch (InvalidJob e) {
                out.println("refused: true, jobs: " + muster.jobs().list(all).size());
            }
            List<JobRequest> requests = IntStream.range(0, 100)
                    .mapToObj(picture -> JobRequest.of("resize", picture))
                    .toList();
            List<JobId> ids = muster.jobs().enqueueAll(requests);
            ids.forEach(id -> muster.jobs().await(id, Duration.ofSeconds(30)));
            out.println("completed: "
                    + muster.jobs().list(all.status(JobStatus.COMPLETED)).size());
        }
    }
}
