package dev.muster.document.internal;

import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Placement;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests for jobs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobRequestDocument {
    private JobRequestDocument() {}

    private static final List<String> FIELDS = List.of(
            "name",
            "args",
            "id",
            "queue",
            "capability",
            "placement",
            "priority",
            "delay",
            "at",
            "key",
            "tags",
            "metadata",
            "max_attempts",
            "max_crashes",
            "timeout",
            "expires_at",
            "expires_in",
            "depends_on",
            "depends_on_any_outcome",
            "batch",
            "concurrency_key",
            "fair_key",
            "fifo",
            "trace",
            "declared");

    /** The names of all fields. */
    public static List<String> fields() {
        return FIELDS;
    }

    /**
     * What is not set is left out.
     *
     * @param json writes the args, unless they are {@link RawJson}
     */
    public static Map<String, @Nullable Object> write(JobRequest request, JsonCodec json) {
        return new JsonObjectWriter()
                .put("name", request.name())
                .putIfPresent("args", request.args().map(args -> raw(args, json)))
                .putIfPresent("id", request.id().map(JobId::toString))
                .putIfPresent("queue", request.queue())
                .putIfPresent("capability", request.capability())
                .putIfPresent("priority", request.priority().map(JobDocument::text))
                .putIfPresent("delay", JsonObjectWriter.duration(request.delay()))
                .putIfPresent("at", request.at())
                .putIfPresent("key", request.key())
                .putIfPresent("tags", some(request.tags()))
                .putIfPresent("metadata", Optional.of(request.metadata()).filter(values -> !values.isEmpty()))
                .putIfPresent("max_attempts", request.maxAttempts())
                .putIfPresent("max_crashes", request.maxCrashes())
                .putIfPresent("timeout", JsonObjectWriter.duration(request.timeout()))
                .putIfPresent("expires_at", request.expiresAt())
                .putIfPresent("expires_in", JsonObjectWriter.duration(request.expiresIn()))
                .putIfPresent("depends_on", some(request.dependsOn()))
                .putIfPresent("depends_on_any_outcome", some(request.dependsOnAnyOutcome()))
                .putIfPresent("batch", request.batch().map(BatchId::toString))
                .putIfPresent("concurrency_key", request.concurrencyKey())
                .putIfPresent("fair_key", request.fairKey())
                .putIfPresent("fifo", request.fifo())
                .putIfPresent("trace", request.trace())
                .putIfPresent("declared", Optional.of(true).filter(yes -> request.declared()))
                .done();
    }

    static RawJson raw(Object value, JsonCodec json) {
        return value instanceof RawJson raw ? raw : new RawJson(json.write(value));
    }

    private static Optional<List<@Nullable Object>> some(Collection<?> things) {
        return things.isEmpty() ? Optional.empty() : Optional.of(JsonObjectWriter.list(things, Object::toString));
    }

    /** Reads a request, whose args are {@link RawJson}. */
    public static JobRequest read(JsonObjectReader fields) {
        fields.refuseOthers(FIELDS);
        String name = fields.text("name");
        Optional<RawJson> args = fields.optionalRaw("args").map(RawJson::new);
        JobRequest request = fields.placed(
                "name",
                name,
                text -> fields.optionalFlag("declared").orElse(false)
                        ? JobRequest.of(JobType.of(text, RawJson.class, Object.class), args.orElse(new RawJson("null")))
                        : JobRequest.of(text, args.orElse(null)));
        request = with(request, fields, "id", fields.optionalParsed("id", JobId::of), JobRequest::id);
        request = with(request, fields, "queue", fields.optionalText("queue"), JobRequest::queue);
        request =
                with(request, fields, "capability", fields.optionalText("capability"), JobRequestDocument::capability);
        request = placed(request, fields);
        request = with(request, fields, "priority", fields.optionalPriority("priority"), JobRequest::priority);
        request = with(request, fields, "delay", fields.optionalDuration("delay"), JobRequest::delay);
        request = with(request, fields, "at", fields.optionalInstant("at"), JobRequest::at);
        request = with(request, fields, "key", fields.optionalText("key"), JobRequest::key);
        request =
                with(request, fields, "max_attempts", fields.optionalInteger("max_attempts"), JobRequest::maxAttempts);
        request = with(request, fields, "max_crashes", fields.optionalInteger("max_crashes"), JobRequest::maxCrashes);
        request = with(request, fields, "timeout", fields.optionalDuration("timeout"), JobRequest::timeout);
        request = with(request, fields, "expires_at", fields.optionalInstant("expires_at"), JobRequest::expiresAt);
        request = with(request, fields, "expires_in", fields.optionalDuration("expires_in"), JobRequest::expiresIn);
        request = with(request, fields, "batch", fields.optionalParsed("batch", BatchId::of), JobRequest::batch);
        request = with(request, fields, "trace", fields.optionalText("trace"), JobRequest::trace);
        return lines(related(labelled(request, fields), fields), fields);
    }

    private static JobRequest labelled(JobRequest plain, JsonObjectReader fields) {
        JobRequest request = with(
                plain,
                fields,
                "tags",
                Optional.of(fields.texts("tags")),
                (before, tags) -> before.tags(tags.toArray(String[]::new)));
        return with(request, fields, "metadata", Optional.of(fields.textsByName("metadata")), JobRequest::metadata);
    }

    private static JobRequest related(JobRequest plain, JsonObjectReader fields) {
        JobRequest request = with(
                plain,
                fields,
                "depends_on",
                Optional.of(fields.parsedTexts("depends_on", JobId::of)),
                (before, parents) -> before.dependsOn(parents.toArray(JobId[]::new)));
        return with(
                request,
                fields,
                "depends_on_any_outcome",
                Optional.of(fields.parsedTexts("depends_on_any_outcome", JobId::of)),
                (before, parents) -> before.dependsOnAnyOutcome(parents.toArray(JobId[]::new)));
    }

    private static JobRequest lines(JobRequest plain, JsonObjectReader fields) {
        JobRequest request = with(
                plain, fields, "concurrency_key", fields.optionalText("concurrency_key"), JobRequest::concurrencyKey);
        request = with(request, fields, "fair_key", fields.optionalText("fair_key"), JobRequest::fairKey);
        return with(request, fields, "fifo", fields.optionalText("fifo"), JobRequest::fifo);
    }

    /** An empty text means any node, whatever the handler says. */
    private static JobRequest capability(JobRequest request, String text) {
        return text.isEmpty() ? request.options(JobOptions.NONE.capability("")) : request.capability(text);
    }

    /** Adds what {@code placement} says to what {@code capability} says. */
    private static JobRequest placed(JobRequest request, JsonObjectReader fields) {
        Optional<JsonObjectReader> placement = fields.optionalObject("placement");
        if (placement.isEmpty()) {
            return request;
        }
        JsonObjectReader parts = placement.get();
        parts.refuseOthers("require", "forbid", "nodes", "not_nodes");
        Placement wanted = part(parts, "require", request.placement()::require);
        wanted = part(parts, "forbid", wanted::forbid);
        wanted = part(parts, "nodes", wanted::onNodes);
        return request.placement(part(parts, "not_nodes", wanted::notOnNodes));
    }

    private static Placement part(JsonObjectReader fields, String name, Function<String[], Placement> add) {
        return fields.placed(name, fields.texts(name).toArray(String[]::new), add);
    }

    private static <V> JobRequest with(
            JobRequest request,
            JsonObjectReader fields,
            String name,
            Optional<V> value,
            BiFunction<JobRequest, V, JobRequest> change) {
        return value.isEmpty() ? request : fields.placed(name, value.get(), given -> change.apply(request, given));
    }
}
