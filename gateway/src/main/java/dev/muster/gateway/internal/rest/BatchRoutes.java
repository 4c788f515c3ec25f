package dev.muster.gateway.internal.rest;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.document.internal.BatchDocument;
import dev.muster.document.internal.BatchQueryDocument;
import dev.muster.document.internal.BatchRequestDocument;
import dev.muster.document.internal.CancellationDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.job.BatchId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Batches: create, fan out, list, show, seal, cancel. */
public final class BatchRoutes {
    private static final List<String> STATUSES =
            BatchStatus.known().stream().map(BatchStatus::text).toList();

    public static final List<Route> ALL = List.of(
            Route.get("/_api/batches", "List batches, the newest first.")
                    .query("name", Schema.text(), "only batches with this name")
                    .queries("status", Schema.oneOf(STATUSES), "only batches with one of these statuses")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("before", Schema.uuid(), Parameters.BEFORE_TEXT)
                    .answers(Schemas.pageOf("batches", Schemas.BATCH))
                    .to(BatchRoutes::list),
            Route.post("/_api/batches", "Create a batch; with jobs, enqueue them in it and seal it, all or nothing.")
                    .takes(Schemas.BATCH_REQUEST)
                    .answers(201, Schemas.BATCH)
                    .answersHeader("Location", Parameters.LOCATION_TEXT)
                    .to(BatchRoutes::create),
            Route.get("/_api/batches/{id}", "Show a batch with its counts.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.BATCH)
                    .to(call -> show(call, id(call))),
            Route.post("/_api/batches/{id}/seal", "Say that no more jobs will come from outside.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.BATCH)
                    .to(call -> {
                        batch(call, id(call));
                        call.muster().batches().seal(id(call));
                        return Answer.of(read(call, id(call)));
                    }),
            Route.post("/_api/batches/{id}/cancel", "Seal a batch and cancel its jobs.")
                    .path("id", Schema.uuid())
                    .audited("batches.cancel")
                    .answers(Schemas.BULK_CANCELLATION)
                    .to(call -> {
                        batch(call, id(call));
                        return Answer.of(CancellationDocument.write(
                                call.muster().batches().cancel(id(call))));
                    }));

    private BatchRoutes() {}

    private static BatchId id(Call call) {
        return Parameters.inPath(call, "id", BatchId::of);
    }

    private static BatchInfo batch(Call call, BatchId id) {
        return call.muster().batches().find(id).orElseThrow(() -> Parameters.none("batch", id));
    }

    private static Answer show(Call call, BatchId id) {
        return Answer.of(BatchDocument.write(batch(call, id)));
    }

    /** The batch after a change. */
    private static Map<String, @Nullable Object> read(Call call, BatchId id) {
        return AfterChange.read(call, () -> BatchDocument.write(batch(call, id)), "id", id);
    }

    private static Answer list(Call call) {
        BatchQuery query = BatchQueryDocument.read(call.query());
        List<BatchInfo> batches = call.muster().batches().list(query);
        return Answer.page(
                "batches",
                batches,
                query.limit(),
                BatchDocument::write,
                one -> one.id().toString());
    }

    /** The request, whose jobs are asked for by the caller. */
    private static BatchRequest requested(Call call, BatchRequest request) {
        BatchRequest decided = request.condition() instanceof BatchCondition.DecidedBy by
                ? request.condition(BatchCondition.decidedBy(by.job().requestedBy(call.requester())))
                : request;
        return decided.onComplete()
                .map(job -> decided.onComplete(job.requestedBy(call.requester())))
                .orElse(decided);
    }

    private static Answer create(Call call) {
        JsonObjectReader fields = call.fields();
        BatchRequest request = requested(call, BatchRequestDocument.read(fields));
        BatchId id = BatchRequestDocument.readJobs(fields)
                .map(jobs -> call.muster()
                        .batches()
                        .fanOut(
                                request,
                                jobs.stream()
                                        .map(job -> job.requestedBy(call.requester()))
                                        .toList()))
                .orElseGet(() -> call.muster().batches().create(request));
        return Answer.created(read(call, id)).header("Location", "batches/" + id);
    }
}
