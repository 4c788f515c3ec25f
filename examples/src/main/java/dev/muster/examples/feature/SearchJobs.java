package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Looks through jobs page by page, the newest first. A search takes about a second at most, however many jobs there are; a
 * page says where the next one begins.
 *
 * <pre>
 * page of 2
 * page of 2
 * page of 1
 * </pre>
 */
final class SearchJobs implements Example {

    @Job("index")
    void index(int page) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            List<JobId> ids = muster.jobs()
                    .enqueueAll(IntStream.range(0, 5)
                            .mapToObj(page -> JobRequest.of("index", page))
                            .toList());
            ids.forEach(id -> muster.jobs().await(id, Duration.ofSeconds(30)));

            JobQuery query =
                    JobQuery.all().name("index").status(JobStatus.COMPLETED).limit(2);
            JobPage page = muster.jobs().search(query);
            out.println("page of " + page.jobs().size());
            while (page.next().isPresent()) {
                page = muster.jobs().search(query.before(page.next().get()));
                out.println("page of " + page.jobs().size());
            }
        }
    }
}
