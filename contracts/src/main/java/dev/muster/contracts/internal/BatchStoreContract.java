package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.batch.BatchSummary;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.internal.provider.Store;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A batch closes once, when its condition is decided, and enqueues its completion job in the same transaction. */
abstract class BatchStoreContract extends BatchPortContract {
    private void fail() {
        write(new Outcome.Failed(claimOne("n", LEASE).claim(), "no"));
    }

    @Test
    void aBatchClosesWhenAllItsJobsHaveEndedAndItIsSealed() {
        BatchId id = create("all", null, null);
        add(id, 3);
        complete(3);
        isOpen(id);
        add(id, 1);
        batches().seal(id);
        isOpen(id);
        assertThat(batch(id).counts()).contains(new BatchCounts(1, 3, 0, 0, 0));
        complete(1);

        BatchSummary summary = closes(id);

        assertThat(summary)
                .isEqualTo(new BatchSummary(id, "import", BatchStatus.SUCCEEDED, new BatchCounts(0, 4, 0, 0, 0)));
    }

    @Test
    void anEmptyBatchClosesWhenItIsSealed() {
        BatchId id = batchOf("all", null, 0);

        assertThat(closes(id).status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(batches().list(BatchQuery.all()))
                .singleElement()
                .satisfies(batch -> assertThat(batch.counts()).contains(new BatchCounts(0, 0, 0, 0, 0)));
    }

    @Test
    void jobsThatDidNotCompleteAreCountedByWhatBecameOfThem() {
        BatchId id = create("all", null, null);
        JobId parent = add(id, 1).get(0);
        enqueue(JobDraft.named("a").batch(id).dependsOn(List.of(parent)).job());
        enqueue(JobDraft.named("a")
                .batch(id)
                .expiresIn(Duration.ofMillis(1))
                .delay(Duration.ofHours(1))
                .job());
        JobId cancelled =
                enqueue(JobDraft.named("a").batch(id).delay(Duration.ofHours(1)).job());
        batches().seal(id);
        fail();
        advance(Duration.ofSeconds(1));
        store().leaders().unfenced(tx -> store().recovery().expire(tx, 10, true));
        store().jobs().cancel(cancelled);
        isOpen(id);

        store().dependencies().resolveDependents(List.of(parent, cancelled));

        assertThat(batch(id).status())
                .as("whoever ends jobs closes their batch")
                .isEqualTo(BatchStatus.FAILED);
        assertThat(batch(id).counts()).contains(new BatchCounts(0, 0, 1, 2, 1));
    }

    @Test
    void aJobThatRunsTooOftenIntoACrashEndsItsBatch() {
        BatchId id = create("all", null, null);
        enqueue(JobDraft.named("a").batch(id).maxAttempts(1).maxCrashes(0).job());
        batches().seal(id);
        ClaimedJob job = claimOne("dead", EXPIRED);
        store().claims().markRunning(List.of(new Start(job.claim(), 1, 0, 0)));
        assertThat(recoverExpired()).extracting(Recovered::status).containsExactly(JobStatus.FAILED);

        assertThat(closes(id).counts()).isEqualTo(new BatchCounts(0, 0, 1, 0, 0));
    }

    @Test
    void oneCompletedJobIsEnoughForAny() {
        BatchId id = batchOf("any", null, 3);
        fail();
        isOpen(id);
        complete(1);

        BatchSummary summary = closes(id);

        assertThat(summary.status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(summary.counts()).isEqualTo(new BatchCounts(1, 1, 1, 0, 0));

        BatchId none = batchOf("any", null, 1);
        complete(1); // the one that was left, which is older
        isOpen(none);
        write(new Outcome.Completed(claimOne("n", LEASE).claim(), null)); // the completion job
        fail();
        assertThat(closes(none).status()).isEqualTo(BatchStatus.FAILED);
    }

    @Test
    void aSuccessRateIsMetEarlyOrFoundOutOfReachEarly() {
        BatchId met = batchOf("success_rate", 0.75, 4);
        complete(2);
        isOpen(met);
        complete(1);
        assertThat(closes(met))
                .isEqualTo(new BatchSummary(met, "import", BatchStatus.SUCCEEDED, new BatchCounts(1, 3, 0, 0, 0)));
        complete(2);

        BatchId missed = batchOf("success_rate", 0.75, 4);
        fail();
        isOpen(missed);
        fail();
        assertThat(closes(missed).status()).isEqualTo(BatchStatus.FAILED);
    }

    /** In floating point 0.07 of 100 is more than 7. */
    @Test
    void aSuccessRateIsComparedExactly() {
        BatchId id = batchOf("success_rate", 0.07, 100);
        complete(6);
        isOpen(id);
        complete(1);
        assertThat(closes(id).status()).isEqualTo(BatchStatus.SUCCEEDED);
    }

    @Test
    void aJobDecides() {
        BatchId id = create("decided", null, JobDraft.plain("judge"));
        add(id, 2);
        batches().seal(id);
        complete(1);
        fail();

        Closing asked = batches().closeDue(true);

        assertThat(asked.closed()).isEmpty();
        assertThat(asked.lanes()).containsExactly(DEFAULT);
        JobInfo judge = find(batch(id).decidingJob().orElseThrow());
        assertThat(BatchSummary.of(judge.metadata()))
                .isEqualTo(new BatchSummary(id, "import", BatchStatus.SEALED, new BatchCounts(0, 1, 1, 0, 0)));
        isOpen(id);
        List<JobId> more = add(id, 1);
        complete(1); // the judge
        isOpen(id);
        complete(1);
        assertThat(find(more.get(0)).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(closes(id))
                .isEqualTo(new BatchSummary(id, "import", BatchStatus.SUCCEEDED, new BatchCounts(0, 2, 1, 0, 0)));
    }

    @Test
    void aJobThatFailsDecidesThatTheBatchHasFailed() {
        BatchId id = create("decided", null, JobDraft.plain("judge"));
        batches().seal(id);
        batches().closeDue(true);
        fail();

        assertThat(closes(id))
                .isEqualTo(new BatchSummary(id, "import", BatchStatus.FAILED, new BatchCounts(0, 0, 0, 0, 0)));
    }

    @Test
    void aCancelledBatchClosesWhenNoneOfItsJobsIsLeft() {
        BatchId id = create("any", null, null);
        add(id, 3);
        ClaimedJob running = claimOne("n", LEASE);

        assertThat(batches().cancel(id)).isTrue();
        store().jobs().cancelAll(JobQuery.all().batch(id));
        isOpen(id);
        write(new Outcome.Completed(running.claim(), null));

        assertThat(closes(id))
                .isEqualTo(new BatchSummary(id, "import", BatchStatus.CANCELLED, new BatchCounts(0, 1, 0, 2, 0)));
    }

    @Test
    void aCancelledBatchWithLiveJobsIsNamed() {
        BatchId id = batchOf("all", null, 2);
        assertThat(batches().closeDue(true).toCancel()).isEmpty();

        batches().cancel(id);

        assertThat(batches().closeDue(true).toCancel()).containsExactly(id);
        store().jobs().cancelAll(JobQuery.all().batch(id));
        assertThat(batches().closeDue(true).toCancel()).isEmpty();
    }

    @Test
    void lastJobsThatEndAtTheSameTimeCloseTheirBatchOnce() throws Exception {
        int rounds = 20;
        Store other = anotherNode();
        List<Store> nodes = List.of(store(), other);
        for (int round = 0; round < rounds; round++) {
            BatchId id = batchOf("all", null, 2);
            List<ClaimSession> sessions = List.of(claims("n1"), claimsOfAnotherStore("n2"));
            List<ClaimedJob> claimed = sessions.stream()
                    .map(session -> session.exchange(List.of(), 1).claimed().get(0))
                    .toList();
            AtomicInteger enqueued = new AtomicInteger();
            other.port(BatchStore.class).mayHaveSealed();

            inParallel(2, node -> {
                ClaimedJob job = claimed.get(node);
                sessions.get(node).exchange(List.of(new Outcome.Completed(job.claim(), null)), 0);
                return enqueued.addAndGet(nodes.get(node)
                        .dependencies()
                        .resolveDependents(List.of(job.id()))
                        .size());
            });

            assertThat(enqueued).as("one of them has closed it").hasValue(1);
            assertThat(batch(id).counts()).contains(new BatchCounts(0, 2, 0, 0, 0));
            complete(1);
        }
        assertThat(store().jobReader().list(JobQuery.all().name("report"))).hasSize(rounds);
    }

    /** Each job is counted once, also if it ends between two looks. */
    @Test
    void theCountsAreThoseOfOneMoment() throws Exception {
        for (int round = 0; round < 20; round++) {
            BatchId id = batchOf("success_rate", 0.5, 20);
            ClaimSession session = claims("n" + round);
            List<ClaimedJob> claimed = session.exchange(List.of(), 20).claimed();
            assertThat(claimed).hasSize(20);

            inParallel(2, i -> {
                if (i == 0) {
                    claimed.forEach(job -> session.exchange(List.of(new Outcome.Completed(job.claim(), null)), 0));
                } else {
                    while (!batch(id).status().isClosed()) {
                        batches().closeDue(true);
                    }
                }
                return null;
            });

            BatchCounts counts = batch(id).counts().orElseThrow();
            assertThat(counts.live() + counts.completed()).isEqualTo(20);
            assertThat(counts.completed()).isBetween(10L, 20L);
            complete(1);
        }
    }

    @Test
    void theCountsStayRightWhenHistoryIsDroppedBeforeTheBatchCloses() {
        BatchId id = batchOf("all", null, 3);
        complete(1);
        fail();
        advance(Duration.ofDays(9));
        store().claims().prepareHistory();
        Dropped dropped;
        do {
            dropped = store().leaders()
                    .unfenced(tx -> store().port(MaintenanceStore.class).dropOldestDay(tx, Days.HISTORY, WEEK));
        } while (dropped == Dropped.ONE);
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);
        assertThat(batch(id).counts()).contains(new BatchCounts(1, 1, 1, 0, 0));
        complete(1);

        assertThat(closes(id).counts()).isEqualTo(new BatchCounts(0, 2, 1, 0, 0));
    }

    @Test
    void aListenerIsToldInsteadOfClosingOnTheThreadThatEndsJobs() {
        AtomicInteger told = new AtomicInteger();
        batches().onEnded(told::incrementAndGet);
        batches().closeDue(true);
        store().dependencies().resolveDependents(List.of(JobId.next()));
        assertThat(told).as("no batch is sealed").hasValue(0);
        BatchId id = batchOf("all", null, 1);
        complete(1);

        store().dependencies().resolveDependents(List.of(JobId.next()));

        assertThat(told).hasValue(1);
        assertThat(batch(id).status()).isEqualTo(BatchStatus.SEALED);
        closes(id);
    }
}
