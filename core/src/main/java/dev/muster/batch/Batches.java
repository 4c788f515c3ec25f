package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.runtime.Writes;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Batches of jobs.
 *
 * <pre>{@code
 * BatchId batch = muster.batches().create(BatchRequest.of("nightly_import").onComplete(JobRequest.of("report_import")));
 * muster.jobs().enqueueAll(files.stream().map(file -> JobRequest.of("import_file", file).batch(batch)).toList());
 * muster.batches().seal(batch);
 * }</pre>
 *
 * {@link #fanOut} does all three in one transaction.
 */
public interface Batches extends BatchStarter {

    /** Creates batches in the caller's transaction: they and their jobs exist once it commits. */
    @Writes("create batches")
    BatchStarter in(Connection connection);

    /**
     * Says that no more jobs will come from outside: the batch closes when its condition is decided. Until then its own jobs may still
     * add jobs to it. A batch that is sealed or closed already stays as it is.
     *
     * @throws dev.muster.runtime.MusterException if there is no such batch
     */
    @Writes("seal batches")
    void seal(BatchId id);

    /** A batch with its counts. */
    Optional<BatchInfo> find(BatchId id);

    /** The batches that match the query, newest first. Only closed ones come with their counts. */
    List<BatchInfo> list(BatchQuery query);

    /**
     * Waits until the batch is closed, or this time is over, and returns it.
     *
     * @throws dev.muster.runtime.MusterException if there is no such batch
     */
    BatchInfo await(BatchId id, Duration timeout);

    /**
     * Seals a batch, cancels its jobs that no node has claimed, and asks those that run to stop. When none is left, the batch closes as
     * cancelled, and its completion job runs. The jobs of a batch that is closed already are cancelled, too.
     */
    @Writes("cancel batches")
    BulkCancellation cancel(BatchId id);
}
