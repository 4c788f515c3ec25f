package dev.muster.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.BatchId;
import dev.muster.job.JobRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class CronSpecTest {
    private static final JobRequest JOB = JobRequest.of("report");

    /** A cron does not keep them, so that they would be lost without a word. */
    @Test
    void itsJobHasNothingThatBelongsToASingleJob() {
        for (JobRequest single : List.of(
                JOB.key("a"),
                JOB.fifo("a"),
                JOB.fairKey("a"),
                JOB.concurrencyKey("a"),
                JOB.batch(BatchId.next()),
                JOB.trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                JOB.tags("a"))) {
            assertThatThrownBy(() -> CronSpec.of("nightly", "0 6 * * *", single))
                    .isInstanceOf(InvalidCron.class)
                    .hasMessageContaining("cron 'nightly'")
                    .hasMessageContaining("belong to single jobs");
        }
        assertThat(CronSpec.of("nightly", "0 6 * * *", JOB.queue("reports"))
                        .job()
                        .queue())
                .contains("reports");
    }
}
