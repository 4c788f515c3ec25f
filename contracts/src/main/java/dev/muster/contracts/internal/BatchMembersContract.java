package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.BatchId;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which jobs belong to a batch: they are added while it is open, found by it, and forgotten with it. */
abstract class BatchMembersContract extends BatchPortContract {
    private void recoverOrFail(JobId id) {
        JobInfo job = find(id);
        assertThat(job.status()).isEqualTo(JobStatus.CLAIMED);
        advance(LEASE.plusSeconds(1));
        recoverExpired();
        ClaimedJob again = claimOne("n", LEASE);
        assertThat(again.id()).isEqualTo(id);
        write(new Outcome.Failed(again.claim(), "no"));
    }

    private boolean forget() {
        return store().leaders().unfenced(tx -> batches().forget(tx, WEEK));
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
}
