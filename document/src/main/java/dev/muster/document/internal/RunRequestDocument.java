package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.workflow.RunRequest;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests for runs of workflows.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class RunRequestDocument {
    private RunRequestDocument() {}

    /**
     * What is not set is left out.
     *
     * @param json writes the input, unless it is {@link RawJson}
     */
    public static Map<String, @Nullable Object> write(RunRequest request, JsonCodec json) {
        return new JsonObjectWriter()
                .put("workflow_name", request.workflow())
                .putIfPresent("workflow_version", Optional.ofNullable(request.version()))
                .putIfPresent(
                        "input", Optional.ofNullable(request.input()).map(input -> JobRequestDocument.raw(input, json)))
                .putIfPresent("key", Optional.ofNullable(request.key()))
                .putIfPresent("delay", JsonObjectWriter.duration(Optional.ofNullable(request.delay())))
                .putIfPresent(
                        "priority", Optional.ofNullable(request.priority()).map(JobDocument::text))
                .putIfPresent("id", Optional.ofNullable(request.id()).map(JobId::toString))
                .done();
    }

    /** Reads a request, whose input is {@link RawJson}. */
    public static RunRequest read(JsonObjectReader fields) {
        fields.refuseOthers("workflow_name", "workflow_version", "input", "key", "delay", "priority", "id");
        RunRequest request = fields.placed(
                "workflow_name",
                fields.text("workflow_name"),
                name -> RunRequest.of(
                        name, fields.optionalRaw("input").map(RawJson::new).orElse(null)));
        request = with(fields, "workflow_version", fields.optionalText("workflow_version"), request, request::version);
        request = with(fields, "key", fields.optionalText("key"), request, request::key);
        request = with(fields, "delay", fields.optionalDuration("delay"), request, request::delay);
        request = with(fields, "priority", fields.optionalPriority("priority"), request, request::priority);
        return with(fields, "id", fields.optionalParsed("id", JobId::of), request, request::id);
    }

    private static <V> RunRequest with(
            JsonObjectReader fields,
            String name,
            Optional<V> value,
            RunRequest otherwise,
            Function<V, RunRequest> change) {
        return value.isEmpty() ? otherwise : fields.placed(name, value.get(), change);
    }
}
