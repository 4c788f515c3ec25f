package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchSummary;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the contracts of batches share: batches with jobs, and how they end. */
abstract class BatchPortContract extends JobStoreContract {
    static final Duration WEEK = Duration.ofDays(7);

    BatchStore batches() {
        return store().port(BatchStore.class);
    }

    BatchId create(String condition, @Nullable Double rate, @Nullable NewJob decider) {
        BatchId id = BatchId.next();
        batches().create(new NewBatch(id, "import", condition, rate, JobDraft.plain("report"), decider));
        return id;
    }

    BatchId batchOf(String condition, @Nullable Double rate, int jobs) {
        BatchId id = create(condition, rate, null);
        add(id, jobs);
        assertThat(batches().seal(id)).isTrue();
        return id;
    }

    List<JobId> add(BatchId batch, int jobs) {
        return store().jobs()
                .enqueue(IntStream.range(0, jobs)
                        .mapToObj(i -> JobDraft.named("a").batch(batch).job())
                        .toList());
    }

    void complete(int jobs) {
        List<ClaimedJob> claimed = claims("n").exchange(List.of(), jobs).claimed();
        assertThat(claimed).hasSize(jobs);
        write(claimed.stream()
                .map(job -> (Outcome) new Outcome.Completed(job.claim(), null))
                .toArray(Outcome[]::new));
    }

    BatchInfo batch(BatchId id) {
        return batches().find(id, true).orElseThrow();
    }

    void isOpen(BatchId id) {
        assertThat(batches().closeDue(true).closed()).isEmpty();
        assertThat(batch(id).status().isClosed()).isFalse();
    }

    /** Closes the batch, and returns what its completion job was told. Jobs that took long to count are counted again a little later. */
    BatchSummary closes(BatchId id) {
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
}
