package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.testkit.Shop.Receipt;
import java.sql.Connection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Nodes that are hurt. Their leases are longer than a test ever takes: what ends them is the clock, which the tests move. */
@MusterTest(
        handlers = Shop.class,
        settings = {"worker.lease=60s", "worker.renew=20s"})
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
        clock.advance(ofSeconds(61));

        assertThat(cluster.awaitEnded(id)).isCompleted().hasAttempt(1).ranOn(second);
    }

    @Test
    void theTestsThreadTakesOverToo(Cluster cluster, Jobs jobs, FakeClock clock, Shop shop) throws Exception {
        Node node = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        node.crash();
        shop.mayLeave.countDown();

        clock.advance(ofSeconds(61));
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
        clock.advance(ofSeconds(61));
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
    void aNodeCutOffInterruptsItsHandlerAndContinuesLater(Cluster cluster, Jobs jobs, FakeClock clock, Shop shop)
            throws Exception {
        Node node = cluster.node(Map.of("worker.lease", "5m"));
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        node.cutDatabase();
        // The handler has to end before the lease does, in time for the job to go back uncharged.
        clock.advance(ofSeconds(260));
        shop.interrupted.await();
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

    @Test
    void timeThatPassesEndsTheLeasesOfLostNodesAlone(Cluster cluster, Jobs jobs, Shop shop, TestDatabase database)
            throws Exception {
        Node lost = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();
        Node well = cluster.node(Map.of("node.queues", "default,other"));
        JobId other = jobs.enqueue(JobRequest.of("gated", null).queue("other"));
        await().until(() -> shop.log.size() == 2);
        // The start is written a moment after the handler was entered; without it nothing is charged with the crash.
        await().until(() -> jobs.find(id).orElseThrow().status() == JobStatus.RUNNING);

        lost.crash();
        database.passTime(ofSeconds(61), Set.of(well.id()));
        shop.mayLeave.countDown();

        assertThat(cluster.awaitEnded(id)).isCompleted().ranOn(well).hasCrashes(1);
        assertThat(cluster.awaitEnded(other)).isCompleted().hasCrashes(0);
    }

    @Test
    void timeDoesNotPassBeforeALeaseThatIsBeingRenewed(Cluster cluster, Jobs jobs, Shop shop, TestDatabase database)
            throws Exception {
        Node node = cluster.node();
        JobId id = jobs.enqueue("gated", null);
        shop.entered.await();

        CompletableFuture<Void> passed;
        try (Connection renewing = database.dataSource().getConnection()) {
            renewing.setAutoCommit(false);
            renewing.createStatement()
                    .execute("UPDATE muster_jobs SET lease_until = muster_clock() + interval '60 s' WHERE id = '" + id
                            + "'");
            passed = CompletableFuture.runAsync(() -> database.passTime(ofSeconds(61), Set.of(node.id())));
            await().until(() -> database.number("SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database"
                            + " WHERE datname = current_database() AND NOT granted")
                    > 0);
            renewing.commit();
        }
        passed.get();
        shop.mayLeave.countDown();

        assertThat(cluster.awaitEnded(id)).isCompleted().hasCrashes(0);
    }
}
