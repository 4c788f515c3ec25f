package dev.muster.document.internal;

import dev.muster.workflow.StepInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stored steps of runs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class StepDocument {
    private StepDocument() {}

    public static Map<String, @Nullable Object> write(StepInfo step) {
        return new JsonObjectWriter()
                .put("path", step.path())
                .put("name", step.name())
                .put("kind", step.kind())
                .put("status", step.status())
                .put("attempts", step.attempt())
                .put("node", step.node())
                .raw("result", step.result())
                .put("error", step.error())
                .put("compensation", step.compensation())
                .put("due_at", step.dueAt())
                .put("stored_at", step.storedAt())
                .done();
    }

    public static StepInfo read(JsonObjectReader fields) {
        return StepInfo.builder(
                        fields.text("path"),
                        fields.text("name"),
                        fields.text("kind"),
                        fields.text("status"),
                        fields.instant("stored_at"))
                .attempt(fields.integer("attempts"))
                .node(fields.optionalText("node"))
                .result(fields.optionalRaw("result"))
                .error(fields.optionalText("error"))
                .dueAt(fields.optionalInstant("due_at"))
                .compensation(fields.optionalText("compensation"))
                .build();
    }
}
