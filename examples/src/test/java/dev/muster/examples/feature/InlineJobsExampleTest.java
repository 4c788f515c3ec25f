package dev.muster.examples.feature;

import static dev.muster.examples.feature.Orders.PLACE_ORDER;
import static dev.muster.testkit.MusterAssertions.assertThat;
import static java.time.Duration.ofMinutes;

import dev.muster.examples.feature.Orders.Order;
import dev.muster.job.JobId;
import dev.muster.testkit.InlineJobs;
import org.junit.jupiter.api.Test;

/** Tests handlers without a database: enqueuing a job runs it, on the test's thread. */
class InlineJobsExampleTest {

    @Test
    void anOrderIsPlacedAndItsReceiptFollows() {
        InlineJobs jobs = new InlineJobs(new Orders());
        JobId id = jobs.enqueue(PLACE_ORDER, new Order(42)); // runs here and now
        assertThat(jobs).job(id).isCompleted().hasResult("placed");

        assertThat(jobs)
                .enqueued("send_receipt")
                .withArgs(new Order(42))
                .withKey("order-42")
                .dueIn(ofMinutes(5))
                .once();
        assertThat(jobs).notEnqueued("send_reminder");
    }

    @Test
    void whatIsEnqueuedIsOnlyRecordedWithoutHandlers() {
        InlineJobs jobs = new InlineJobs();
        jobs.enqueue(PLACE_ORDER, new Order(42));
        assertThat(jobs).enqueued(PLACE_ORDER).withArgs(new Order(42)).once();
    }
}
