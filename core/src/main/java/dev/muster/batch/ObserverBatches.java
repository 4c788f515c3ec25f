package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.job.JobRequest;
import dev.muster.runtime.ObserverRefusal;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The batches of an observer: reading works, changes are refused. */
record ObserverBatches(Batches batches) implements Batches {

    @Override
    public BatchId create(BatchRequest request) {
        throw new ObserverRefusal("create batches");
    }

    @Override
    public BatchId fanOut(BatchRequest request, Collection<JobRequest> jobs) {
        throw new ObserverRefusal("create batches");
    }

    @Override
    public BatchStarter in(Connection connection) {
        throw new ObserverRefusal("create batches");
    }

    @Override
    public void seal(BatchId id) {
        throw new ObserverRefusal("seal batches");
    }

    @Override
    public Optional<BatchInfo> find(BatchId id) {
        return batches.find(id);
    }

    @Override
    public List<BatchInfo> list(BatchQuery query) {
        return batches.list(query);
    }

    @Override
    public BatchInfo await(BatchId id, Duration timeout) {
        return batches.await(id, timeout);
    }

    @Override
    public BulkCancellation cancel(BatchId id) {
        throw new ObserverRefusal("cancel batches");
    }
}
