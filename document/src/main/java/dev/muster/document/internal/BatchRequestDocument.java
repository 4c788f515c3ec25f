package dev.muster.document.internal;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchCondition.All;
import dev.muster.batch.BatchCondition.Any;
import dev.muster.batch.BatchCondition.DecidedBy;
import dev.muster.batch.BatchCondition.SuccessRate;
import dev.muster.batch.BatchRequest;
import dev.muster.job.BatchId;
import dev.muster.job.JobRequest;
import dev.muster.runtime.JsonCodec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Requests for batches.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class BatchRequestDocument {
    private BatchRequestDocument() {}

    /** How many jobs one request may bring. */
    public static final int MOST_JOBS = 10_000;

    private static final String[] CONDITIONS = {"all", "any", "success_rate", "decided"};

    /** @param json writes the args of jobs, unless they are raw */
    public static Map<String, @Nullable Object> write(BatchRequest request, JsonCodec json) {
        BatchCondition condition = request.condition();
        return new JsonObjectWriter()
                .put("name", request.name())
                .put("id", request.id().toString())
                .put("condition", text(condition))
                .putIfPresent(
                        "success_rate",
                        condition instanceof SuccessRate rate ? Optional.of(rate.rate()) : Optional.empty())
                .putIfPresent(
                        "decided_by",
                        condition instanceof DecidedBy by
                                ? Optional.of(JobRequestDocument.write(by.job(), json))
                                : Optional.empty())
                .putIfPresent("on_complete", request.onComplete().map(job -> JobRequestDocument.write(job, json)))
                .done();
    }

    /** A batch with its jobs, which are all that it gets from outside. */
    public static Map<String, @Nullable Object> write(
            BatchRequest request, Collection<JobRequest> jobs, JsonCodec json) {
        Map<String, @Nullable Object> document = write(request, json);
        document.put("jobs", JsonObjectWriter.list(jobs, job -> JobRequestDocument.write(job, json)));
        return document;
    }

    private static String text(BatchCondition condition) {
        return condition instanceof All
                ? "all"
                : condition instanceof Any ? "any" : condition instanceof SuccessRate ? "success_rate" : "decided";
    }

    /** Reads a request; its jobs, if there are any, are read by {@link #readJobs}. */
    public static BatchRequest read(JsonObjectReader fields) {
        fields.refuseOthers("name", "id", "condition", "success_rate", "decided_by", "on_complete", "jobs");
        BatchRequest request = fields.placed("name", fields.text("name"), BatchRequest::of);
        Optional<BatchId> id = fields.optionalParsed("id", BatchId::of);
        request = id.isPresent() ? request.id(id.get()) : request;
        Optional<JobRequest> completion = fields.optionalObject("on_complete").map(JobRequestDocument::read);
        request = completion.isPresent() ? request.onComplete(completion.get()) : request;
        return request.condition(condition(fields));
    }

    /** The jobs of a batch that is sealed at once; empty if the request has no {@code jobs}. */
    public static Optional<List<JobRequest>> readJobs(JsonObjectReader fields) {
        if (fields.sizeOf("jobs") > MOST_JOBS) {
            throw fields.refusal("jobs", "must have " + MOST_JOBS + " jobs at most, not " + fields.sizeOf("jobs"));
        }
        return fields.has("jobs")
                ? Optional.of(fields.list("jobs").stream()
                        .map(JobRequestDocument::read)
                        .toList())
                : Optional.empty();
    }

    private static BatchCondition condition(JsonObjectReader fields) {
        String condition = fields.optionalChoice("condition", CONDITIONS, text -> text)
                .orElse(fields.has("success_rate") ? "success_rate" : fields.has("decided_by") ? "decided" : "all");
        refuseOfOther(fields, condition, "success_rate", "success_rate");
        refuseOfOther(fields, condition, "decided", "decided_by");
        return switch (condition) {
            case "any" -> BatchCondition.any();
            case "success_rate" ->
                fields.placed("success_rate", fields.decimal("success_rate"), BatchCondition::successRate);
            case "decided" -> BatchCondition.decidedBy(JobRequestDocument.read(fields.object("decided_by")));
            default -> BatchCondition.all();
        };
    }

    private static void refuseOfOther(JsonObjectReader fields, String condition, String owner, String name) {
        if (fields.has(name) && !condition.equals(owner)) {
            throw fields.refusal(
                    name, "goes with the condition \"" + owner + "\" only, not with \"" + condition + "\"");
        }
    }
}
