package dev.muster.cli.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.HandlerInfo;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobOptions;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobTextTest {
    private static final JobId ID = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");

    private static JobInfo job(JobStatus status, Optional<Progress> progress, Optional<String> waitingReason) {
        return job(status, Optional.empty(), progress, waitingReason);
    }

    private static JobInfo job(
            JobStatus status, Optional<String> error, Optional<Progress> progress, Optional<String> waitingReason) {
        return new JobInfo(
                ID,
                "import",
                status,
                "default",
                Optional.empty(),
                Priority.NORMAL,
                Optional.empty(),
                0,
                3,
                0,
                Optional.empty(),
                "null",
                Optional.empty(),
                error,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                progress,
                Map.of(),
                Instant.EPOCH,
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                waitingReason,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void whoeverWaitsSeesABar() {
        Progress half = new Progress(50, Optional.of("row 5\u001b[2J of 10"));
        assertThat(JobText.live(job(JobStatus.RUNNING, Optional.of(half), Optional.empty()), Duration.ofSeconds(3)))
                .isEqualTo("3s  import  ██████████░░░░░░░░░░ 50% row 5 [2J of 10");
        Progress whole = new Progress(100, Optional.empty());
        assertThat(JobText.live(job(JobStatus.RUNNING, Optional.of(whole), Optional.empty()), Duration.ofSeconds(3)))
                .endsWith("█ 100%");
    }

    @Test
    void anErrorIsReadFromTopToBottom() {
        String error =
                "java.io.IOException: no route\n\tat shop.Mail.send(Mail.java:7)\n\tat shop.Orders.run(Orders.java:3)";
        JobInfo failed = job(JobStatus.FAILED, Optional.of(error), Optional.empty(), Optional.empty());
        assertThat(JobText.details(failed)).contains("""
                        error       java.io.IOException: no route
                                    at shop.Mail.send(Mail.java:7)
                                    at shop.Orders.run(Orders.java:3)
                        created""");
    }

    @Test
    void aJobWithoutATimeoutHasThatOfItsHandlerOrItsNode() {
        assertThat(JobText.timeoutOf(handler(Duration.ofSeconds(30)))).isEqualTo("30s (of its handler)");
        assertThat(JobText.timeoutOf(handler(null))).isEqualTo("worker.job_timeout of the node that runs it");
        assertThat(JobText.timeoutOf(null)).startsWith("as its handler says");
    }

    private static HandlerInfo handler(Duration timeout) {
        return new HandlerInfo(new JobOptions("default", "", Priority.NORMAL, 3, 3, timeout), false);
    }

    @Test
    void whoeverWaitsSeesWhatFor() {
        JobInfo pending = job(JobStatus.PENDING, Optional.empty(), Optional.of("no live node is there"));
        assertThat(JobText.live(pending, Duration.ofSeconds(3)))
                .isEqualTo("3s  import  " + ID + "  pending, waiting because no live node is there");
    }
}
