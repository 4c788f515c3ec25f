package dev.muster.client;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStarter;
import dev.muster.batch.Batches;
import dev.muster.document.internal.BatchDocument;
import dev.muster.document.internal.BatchQueryDocument;
import dev.muster.document.internal.BatchRequestDocument;
import dev.muster.document.internal.CancellationDocument;
import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobRequest;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Batches over HTTP. */
final class ClientBatches implements Batches {
    private static final String BATCHES = "/_api/batches";

    private final Gateway gateway;
    private final JsonCodec json;

    ClientBatches(Gateway gateway, JsonCodec json) {
        this.gateway = gateway.invalid(InvalidJob::new);
        this.json = json;
    }

    @Override
    public BatchStarter in(Connection connection) {
        throw new NeedsDatabase("creating batches in a transaction");
    }

    /** The batch has an id, by which the cluster knows it again. */
    @Override
    public BatchId create(BatchRequest request) {
        return gateway.post(BATCHES, BatchRequestDocument.write(request, json), true)
                .parsed("id", BatchId::of);
    }

    @Override
    public BatchId fanOut(BatchRequest request, Collection<JobRequest> jobs) {
        return gateway.post(BATCHES, BatchRequestDocument.write(request, jobs, json), false)
                .parsed("id", BatchId::of);
    }

    @Override
    public void seal(BatchId id) {
        gateway.repeatable("POST", Gateway.path(BATCHES, id, "seal"), null);
    }

    @Override
    public Optional<BatchInfo> find(BatchId id) {
        return gateway.find(Gateway.path(BATCHES, id)).map(BatchDocument::read);
    }

    @Override
    public List<BatchInfo> list(BatchQuery query) {
        return gateway.get(BATCHES, BatchQueryDocument.write(query)).list("batches").stream()
                .map(BatchDocument::read)
                .toList();
    }

    @Override
    public BatchInfo await(BatchId id, Duration timeout) {
        return Polling.until(
                "batch " + id + " to close",
                timeout,
                batch -> batch.status().isClosed(),
                () -> find(id).orElseThrow(() -> new MusterException("there is no batch " + id)));
    }

    @Override
    public BulkCancellation cancel(BatchId id) {
        return CancellationDocument.readBulk(gateway.post(Gateway.path(BATCHES, id, "cancel"), null, true));
    }
}
