package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofSeconds;

import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.Shop.Receipt;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nodes that are hurt. The lease of a node in a test is three seconds, unless the test says otherwise. */
@MusterTest(handlers = Shop.class)
class FaultsIT {

    @Test
    void theJobOfANodeThatCrashedRunsElsewhere(Cluster cluster, Jobs jobs, FakeClock clock, Shop shop)
            throws Exception {
        Node first = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        Node second = cluster.node();

        first.crash();
        shop.mayLeave.countDown();
        assertThat(jobs.find(id).orElseThrow().node()).contains(first.id());
        clock.advance(ofSeconds(4));

        assertThat(cluster.awaitEnded(id)).isCompleted().hasAttempt(1).ranOn(second);
    }

    @Test
    void theTestsThreadTakesOverToo(Cluster cluster, Jobs jobs, FakeClock clock, Shop shop) throws Exception {
        Node node = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        node.crash();
        shop.mayLeave.countDown();

        clock.advance(ofSeconds(4));
        cluster.drain();

        assertThat(jobs).job(id).isCompleted().hasAttempt(1);
    }

    @Test
    void aFrozenNodeLosesItsJobAndCannotFinishItAnyMore(
            Cluster cluster, Jobs jobs, FakeClock clock, Shop shop, TestDatabase database) throws Exception {
        Node first = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        Node second = cluster.node();

        first.freeze();
        shop.mayLeave.countDown();
        clock.advance(ofSeconds(4));
        assertThat(cluster.awaitEnded(id)).isCompleted().ranOn(second);

        first.thaw();
        JobId next = first.jobs().enqueue(SEND_RECEIPT, new Receipt(1));
        cluster.awaitEnded(next);
        assertThat(jobs).job(id).isCompleted().ranOn(second);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE id = '" + id + "'"))
                .isEqualTo(1);
        assertThat(shop.log).contains("gated on " + first.id(), "gated on " + second.id());
    }

    @Test
    void aNodeCutOffInterruptsItsHandlerAndGoesOnLater(Cluster cluster, Jobs jobs, Shop shop) throws Exception {
        Node node = cluster.node(Map.of("worker.lease", "1s", "worker.renew", "300ms"));
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        node.cutDatabase();
        assertThat(shop.interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        shop.mayLeave.countDown();
        node.restoreDatabase();

        assertThat(cluster.awaitEnded(id)).isCompleted().hasAttempt(1).hasCrashes(0);
    }

    @Test
    void aLostAcknowledgementOfAnEnqueueMakesNoSecondJob(Cluster cluster, Jobs jobs) {
        cluster.node();
        Node gateway = cluster.node(Map.of("node.queues", "other"));

        gateway.dropAcknowledgements(1);
        gateway.jobs().enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)));
        assertThat(gateway.dropsAcknowledgements()).isFalse();
        cluster.awaitIdle();

        assertThat(jobs).enqueued(SEND_RECEIPT).single().isCompleted();
    }

    @Test
    void aLostAcknowledgementOfACompletionRunsNothingTwice(Cluster cluster, Jobs jobs, Shop shop) throws Exception {
        Node node = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        node.dropAcknowledgements(1);
        shop.mayLeave.countDown();

        assertThat(cluster.awaitEnded(id)).isCompleted();
        assertThat(node.dropsAcknowledgements()).isFalse();
        cluster.awaitEnded(jobs.enqueue(SEND_RECEIPT, new Receipt(1)));
        assertThat(shop.log).containsOnlyOnce("gated on " + node.id());
    }

    @Test
    void jobsWhoseClaimWasNotAcknowledgedRunAtOnceAllTheSame(Cluster cluster, Jobs jobs) {
        Node node = cluster.node(Map.of("worker.lease", "5m"));
        node.dropAcknowledgements(1);

        JobId id = jobs.enqueue(SEND_RECEIPT, new Receipt(1));

        assertThat(cluster.awaitEnded(id)).isCompleted().hasAttempt(1).hasCrashes(0);
        assertThat(node.dropsAcknowledgements()).isFalse();
    }

    @Test
    void aFaultHitsOneNodeOnly(Cluster cluster, Jobs jobs) {
        Node broken = cluster.node();
        Node well = cluster.node();
        broken.cutDatabase();

        assertThat(cluster.awaitEnded(jobs.enqueue(SEND_RECEIPT, new Receipt(1))))
                .isCompleted()
                .ranOn(well);
    }
}
