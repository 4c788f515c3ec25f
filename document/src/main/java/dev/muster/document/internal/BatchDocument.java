package dev.muster.document.internal;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchStatus;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Batches.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class BatchDocument {
    private BatchDocument() {}

    public static Map<String, @Nullable Object> write(BatchInfo batch) {
        return new JsonObjectWriter()
                .put("id", batch.id().toString())
                .put("name", batch.name())
                .put("status", batch.status().text())
                .put("condition", batch.condition())
                .put("success_rate", batch.successRate())
                .put("cancel_requested", batch.cancelRequested())
                .putIfPresent("jobs", batch.counts().map(BatchDocument::counts))
                .text("completion_job", batch.completionJob())
                .text("deciding_job", batch.decidingJob())
                .put("created_at", batch.createdAt())
                .put("sealed_at", batch.sealedAt())
                .put("closed_at", batch.closedAt())
                .done();
    }

    private static Map<String, @Nullable Object> counts(BatchCounts counts) {
        return new JsonObjectWriter()
                .put("live", counts.live())
                .put("completed", counts.completed())
                .put("failed", counts.failed())
                .put("cancelled", counts.cancelled())
                .put("expired", counts.expired())
                .done();
    }

    public static BatchInfo read(JsonObjectReader fields) {
        return BatchInfo.builder(
                        fields.parsed("id", BatchId::of),
                        fields.text("name"),
                        fields.parsed("status", BatchStatus::stored),
                        fields.text("condition"),
                        fields.instant("created_at"))
                .successRate(fields.optionalDecimal("success_rate"))
                .cancelRequested(fields.flag("cancel_requested"))
                .counts(fields.optionalObject("jobs").map(BatchDocument::readCounts))
                .completionJob(fields.optionalParsed("completion_job", JobId::of))
                .decidingJob(fields.optionalParsed("deciding_job", JobId::of))
                .sealedAt(fields.optionalInstant("sealed_at"))
                .closedAt(fields.optionalInstant("closed_at"))
                .build();
    }

    private static BatchCounts readCounts(JsonObjectReader fields) {
        return new BatchCounts(
                fields.longNumber("live"),
                fields.longNumber("completed"),
                fields.longNumber("failed"),
                fields.longNumber("cancelled"),
                fields.longNumber("expired"));
    }
}
