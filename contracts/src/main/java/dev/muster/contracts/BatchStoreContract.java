package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.batch.BatchStore;
import dev.muster.batch.BatchStore.Closing;
import dev.muster.batch.BatchStore.NewBatch;
import dev.muster.batch.BatchSummary;
import dev.muster.job.BatchId;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimStore.Start;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.upkeep.UpkeepStore;
import dev.muster.upkeep.UpkeepStore.Days;
import dev.muster.upkeep.UpkeepStore.Dropped;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A batch closes once, when its condition is decided, and enqueues its completion job in the same transaction. */
abstract class BatchStoreContract extends JobStoreContract {
    private static final Duration WEEK = Duration.ofDays(7);

    private BatchStore batches() {
        return store().port(BatchStore.class);
    }

    private BatchId create(String condition, @Nullable Double rate, @Nullable NewJob decider) {
        BatchId id = BatchId.next();
        batches().create(new NewBatch(id, "import", condition, rate, JobDraft.plain("report"), decider));
        return id;
    }

    private BatchId batchOf(String condition, @Nullable Double rate, int jobs) {
        BatchId id = create(condition, rate, null);
        add(id, jobs);
        assertThat(batches().seal(id)).isTrue();
        return id;
    }

    private List<JobId> add(BatchId batch, int jobs) {
        return store().jobs()
                .enqueue(IntStream.range(0, jobs)
                        .mapToObj(i -> JobDraft.named("a").batch(batch).job())
                        .toList());
    }

    private void complete(int jobs) {
        List<ClaimedJob> claimed = claims("n").exchange(List.of(), jobs).claimed();
        assertThat(claimed).hasSize(jobs);
        write(claimed.stream()
                .map(job -> (Outcome) new Outcome.Completed(job.claim(), null))
                .toArray(Outcome[]::new));
    }

    private void fail() {
        write(new Outcome.Failed(claimOne("n", LEASE).claim(), "no"));
    }

    private BatchInfo batch(BatchId id) {
        return batches().find(id, true).orElseThrow();
    }

    private void isOpen(BatchId id) {
        assertThat(batches().closeDue(true).closed()).isEmpty();
        assertThat(batch(id).status().isClosed()).isFalse();
    }

    /** Closes the batch, and returns what its completion job was told. Jobs that took long to count are counted again a little later. */
    private BatchSummary closes(BatchId id) {
        Closing closing = await("the batch closes")
                .until(() -> batches().closeDue(true), look -> !look.closed().isEmpty());
        assertThat(closing.closed()).containsExactly(id);
        assertThat(closing.lanes()).containsExactly(DEFAULT);
        BatchInfo closed = batch(id);
        JobInfo completion = find(closed.completionJob().orElseThrow());
        assertThat(completion.status()).isEqualTo(JobStatus.PENDING);
        BatchSummary summary = BatchSummary.of(completion.metadata());
        assertThat(summary.counts()).isEqualTo(closed.counts().orElseThrow());
        assertThat(summary.status()).isEqualTo(closed.status());
        assertThat(batches().closeDue(true).closed()).as("closed once").isEmpty();
        return summary;
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
    void aClosedOrUnknownBatchTakesNoJobs() throws SQLException {
        BatchId closed = batchOf("all", null, 0);
        closes(closed);

        for (BatchId id : List.of(closed, BatchId.next())) {
            assertThatThrownBy(() -> store().jobs()
                            .enqueue(List.of(
                                    job("other"), JobDraft.named("a").batch(id).job())))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessageContaining(id.toString());
            try (Connection connection = transaction()) {
                assertThatThrownBy(() -> store().jobs()
                                .enqueue(
                                        connection,
                                        List.of(JobDraft.named("a").batch(id).job())))
                        .isInstanceOf(InvalidJob.class);
                connection.commit();
            }
        }
        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::name)
                .containsExactly("report");
    }

    @Test
    void enqueuingAgainWithAnIdIsNotRefusedByABatchThatIsClosedMeanwhile() {
        BatchId id = create("all", null, null);
        NewJob job = JobDraft.named("a").batch(id).id(JobId.next()).job();
        enqueue(job);
        batches().seal(id);
        complete(1);
        closes(id);

        assertThat(enqueue(job)).isEqualTo(job.id());
        assertThat(find(job.id()).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aJobThatIsBeingAddedKeepsTheBatchOpen() throws SQLException {
        BatchId id = batchOf("all", null, 0);
        try (Connection connection = transaction()) {
            store().jobs()
                    .enqueue(connection, List.of(JobDraft.named("a").batch(id).job()));

            Closing closing = batches().closeDue(true);

            assertThat(closing.closed()).isEmpty();
            assertThat(closing.again()).isPresent();
            connection.commit();
        }
        isOpen(id);
        complete(1);
        assertThat(closes(id).counts().completed()).isEqualTo(1);
    }

    @Test
    void aBatchInACallersTransactionExistsWhenItCommits() throws SQLException {
        BatchId id = BatchId.next();
        try (Connection connection = transaction()) {
            batches().create(connection, new NewBatch(id, "b", "all", null, null, null));
            store().jobs()
                    .enqueue(connection, List.of(JobDraft.named("a").batch(id).job()));
            batches().seal(connection, id);
            assertThat(batches().find(id, true)).isEmpty();
            connection.commit();
        }
        isOpen(id);
        complete(1);

        assertThat(batches().closeDue(true).closed()).containsExactly(id);
        assertThat(batches().closeDue(true).lanes())
                .as("it has no completion job")
                .isEmpty();
    }

    @Test
    void creatingABatchAgainChangesNothing() {
        BatchId id = batchOf("all", null, 1);
        BatchInfo before = batch(id);

        batches().create(new NewBatch(id, "other", "any", null, null, null));

        assertThat(batch(id)).isEqualTo(before);
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
                    .unfenced(tx -> store().port(UpkeepStore.class).dropOldestDay(tx, Days.HISTORY, WEEK));
        } while (dropped == Dropped.ONE);
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);
        assertThat(batch(id).counts()).contains(new BatchCounts(1, 1, 1, 0, 0));
        complete(1);

        assertThat(closes(id).counts()).isEqualTo(new BatchCounts(0, 2, 1, 0, 0));
    }

    @Test
    void aRetriedJobBelongsToItsBatch() {
        BatchId id = batchOf("all", null, 2);
        JobId failed = claimOne("n", LEASE).id();
        recoverOrFail(failed);
        store().jobs().retry(failed);
        complete(1);
        isOpen(id);
        complete(1);

        assertThat(closes(id).counts()).isEqualTo(new BatchCounts(0, 2, 0, 0, 0));
    }

    private void recoverOrFail(JobId id) {
        JobInfo job = find(id);
        assertThat(job.status()).isEqualTo(JobStatus.CLAIMED);
        advance(LEASE.plusSeconds(1));
        recoverExpired();
        ClaimedJob again = claimOne("n", LEASE);
        assertThat(again.id()).isEqualTo(id);
        write(new Outcome.Failed(again.claim(), "no"));
    }

    @Test
    void jobsAreFoundByTheirBatch() {
        BatchId id = create("all", null, null);
        List<JobId> mine = new ArrayList<>(add(id, 2));
        enqueue(job("a"));
        complete(1);

        assertThat(store().jobReader().list(JobQuery.all().batch(id)))
                .extracting(JobInfo::id)
                .containsExactlyInAnyOrderElementsOf(mine);
        assertThat(find(mine.get(0)).batch()).contains(id);
    }

    @Test
    void manyJobsOfABatchAreAddedAtOnce() {
        BatchId id = create("all", null, null);
        add(id, 1_000);
        enqueue(job("a"));

        assertThat(batch(id).counts()).contains(new BatchCounts(1_000, 0, 0, 0, 0));
    }

    @Test
    void oldBatchesAreForgotten() {
        BatchId closed = batchOf("all", null, 0);
        closes(closed);
        BatchId abandoned = create("all", null, null);
        BatchId inUse = create("all", null, null);
        enqueue(JobDraft.named("a").batch(inUse).delay(Duration.ofDays(30)).job());
        assertThat(forget()).isFalse();
        assertThat(batches().list(BatchQuery.all())).hasSize(3);
        advance(Duration.ofDays(8));

        forget();

        assertThat(batches().list(BatchQuery.all())).extracting(BatchInfo::id).containsExactly(inUse);
        assertThat(batches().find(abandoned, true)).isEmpty();
    }

    @Test
    void anOldBatchToWhichAJobIsBeingAddedIsNotForgotten() throws SQLException {
        BatchId id = create("all", null, null);
        advance(Duration.ofDays(8));
        try (Connection connection = transaction()) {
            store().jobs()
                    .enqueue(connection, List.of(JobDraft.named("a").batch(id).job()));
            forget();
            connection.commit();
        }

        forget();

        batches().seal(id);
        isOpen(id);
        complete(1);
        assertThat(closes(id).counts().completed()).isEqualTo(1);
    }

    private boolean forget() {
        return store().leaders().unfenced(tx -> batches().forget(tx, WEEK));
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
