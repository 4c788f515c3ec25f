package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofMinutes;

import dev.muster.job.JobRequest;
import dev.muster.job.Priority;
import dev.muster.testkit.Shop.Receipt;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What assertions accept, and what they say when they fail. They read any {@code Jobs}; here inline ones. */
class AssertionsTest {
    private final InlineJobs jobs = new InlineJobs(new Shop(new InlineJobs()));

    @Test
    void eachPartOfARequestCanBeAsserted() {
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1))
                .key("k1")
                .queue("mail")
                .capability("smtp")
                .priority(Priority.HIGH)
                .delay(ofMinutes(5)));
        jobs.enqueue(SEND_RECEIPT, new Receipt(2));

        assertThat(jobs)
                .enqueued(SEND_RECEIPT)
                .withArgs(new Receipt(1))
                .withArgs(Map.of("order", 1.0))
                .withKey("k1")
                .inQueue("mail")
                .withCapability("smtp")
                .withPriority(Priority.HIGH)
                .dueIn(ofMinutes(5))
                .single()
                .isCompleted()
                .hasResult("sent");
        assertThat(jobs).enqueued(SEND_RECEIPT).times(2);
        assertThat(jobs).notEnqueued("place_order");
    }

    @Test
    void aFailedAssertionListsWhatWasThereInstead() {
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).key("k1"));

        assertThatThrownBy(() -> assertThat(jobs).enqueued(SEND_RECEIPT).withArgs(new Receipt(2)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected a job 'send_receipt' with args {\"order\":2}")
                .hasMessageContaining("args {\"order\":1}, key 'k1'");
        assertThatThrownBy(() -> assertThat(jobs).enqueued("send_mail")).hasMessageContaining("send_receipt");
        assertThatThrownBy(() -> assertThat(jobs).enqueued(SEND_RECEIPT).times(2))
                .hasMessageContaining("found 1");
        assertThatThrownBy(() -> assertThat(jobs).notEnqueued(SEND_RECEIPT)).hasMessageContaining("order\":1");
        assertThatThrownBy(() -> assertThat(jobs).isEmpty()).hasMessageContaining("expected no job");
    }

    @Test
    void aFailedAssertionAboutAJobShowsTheJob() {
        var job = jobs.find(jobs.enqueue("picky", null)).orElseThrow();

        assertThat(job)
                .isFailed()
                .hasNoResult()
                .hasCrashes(0)
                .failedWith("never")
                .failedWith("IllegalArgumentException");
        assertThatThrownBy(() -> assertThat(job).isCompleted())
                .hasMessageContaining("expected a job with status completed")
                .hasMessageContaining("failed, attempt 1 of 3")
                .hasMessageContaining("IllegalArgumentException: never");
        assertThatThrownBy(() -> assertThat(job).failedWith("something else")).hasMessageContaining("never");
        assertThatThrownBy(() -> assertThat(job).hasResult(7)).hasMessageContaining("expected a job with result 7");
    }
}
