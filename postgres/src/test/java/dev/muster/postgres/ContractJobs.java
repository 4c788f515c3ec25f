package dev.muster.postgres;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.NewJob;
import dev.muster.job.Priority;
import java.util.List;

/** Plain jobs for tests. */
final class ContractJobs {
    private ContractJobs() {}

    static NewJob job(String name) {
        return new NewJob(
                JobId.next(),
                false,
                name,
                new Lane("default", ""),
                Priority.NORMAL,
                null,
                null,
                "{}",
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                List.of());
    }
}
