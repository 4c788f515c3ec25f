package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static dev.muster.testkit.Shop.FLAKY;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;

import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.Shop.Order;
import dev.muster.testkit.Shop.Receipt;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Real nodes in a test. Their leases and their patience are longer than a busy machine needs. */
@MusterTest(
        handlers = Shop.class,
        settings = {"worker.lease=60s", "worker.renew=20s", "worker.drain_timeout=60s"})
class NodeIT {

    @Test
    void aNodeRunsJobs(Cluster cluster, Jobs jobs) {
        Node node = cluster.node();

        JobId id = jobs.enqueue(SEND_RECEIPT, new Receipt(1));

        assertThat(cluster.awaitEnded(id)).isCompleted().hasResult("sent").ranOn(node);
    }

    @Test
    void whoeverWaitsWithoutANodeIsToldAtOnce(Cluster cluster, Jobs jobs) {
        JobId id = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).capability("gpu"));

        assertThatThrownBy(() -> cluster.awaitEnded(id))
                .hasMessageContaining(
                        "call cluster.node() first, or run due jobs on the test's thread with cluster.drain()");
        assertThatThrownBy(() -> cluster.awaitTick("hourly_report")).hasMessageContaining("call cluster.node() first");

        // The test's thread has every capability; afterwards there is nothing to wait for.
        cluster.drain();
        assertThat(cluster.awaitEnded(id)).isCompleted();
    }

    @Test
    void severalNodesShareTheWork(Cluster cluster, Jobs jobs, Shop shop) {
        cluster.node();
        cluster.node();

        List<JobId> ids = jobs.enqueueAll(IntStream.range(0, 100)
                .mapToObj(i -> JobRequest.of(SEND_RECEIPT, new Receipt(i)))
                .toList());
        cluster.awaitIdle();

        assertThat(ids).allSatisfy(id -> assertThat(jobs).job(id).isCompleted());
        assertThat(shop.log).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void theClockBringsDelaysAndRetriesForward(Cluster cluster, Jobs jobs, FakeClock clock) {
        cluster.node();
        JobId later = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).delay(ofHours(2)));
        JobId flaky = jobs.enqueue(FLAKY, new Order(2));
        cluster.awaitIdle();
        assertThat(jobs).job(later).isPending();
        assertThat(jobs).job(flaky).isPending().hasAttempt(1);

        clock.advance(ofMinutes(2));
        assertThat(cluster.awaitEnded(flaky)).isCompleted().hasAttempt(2);

        clock.advance(ofHours(2));
        assertThat(cluster.awaitEnded(later)).isCompleted();
    }

    @Test
    void aTimeoutComesWithTheClock(Cluster cluster, Jobs jobs, FakeClock clock, Shop shop) throws Exception {
        cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        clock.advance(ofMinutes(10));

        assertThat(cluster.awaitEnded(id)).failedWith("timed out after 600000 ms");
        shop.interrupted.await();
    }

    @Test
    void aNodeThatIsClosedFinishesWhatItRuns(Cluster cluster, Jobs jobs, Shop shop) throws Exception {
        Node node = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        shop.mayLeave.countDown();

        node.close();

        assertThat(jobs).job(id).isCompleted().hasResult("left");
    }

    @Test
    void whatANodeCannotFinishIsHandedOver(Cluster cluster, Jobs jobs, Shop shop) throws Exception {
        Node first = cluster.node(Map.of("worker.drain_timeout", "100ms"));
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        first.close();
        assertThat(jobs).job(id).isPending().hasAttempt(0);

        shop.mayLeave.countDown();
        Node second = cluster.node();
        assertThat(cluster.awaitEnded(id)).isCompleted().ranOn(second);
    }

    @Test
    void aWaitThatIsInVainSaysWhatThereIs(Cluster cluster, Jobs jobs) {
        Node other = cluster.node(JobHandler.named("other").run((ctx, args) -> {}));
        JobId id = jobs.enqueue(SEND_RECEIPT, new Receipt(1));

        assertThatThrownBy(() -> cluster.awaitEnded(id, ofMillis(50)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has not ended within PT0.05S")
                .hasMessageContaining("nodes: [" + other + "]")
                .hasMessageContaining("no handler for it");
    }
}
