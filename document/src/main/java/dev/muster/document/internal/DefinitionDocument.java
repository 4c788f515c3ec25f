package dev.muster.document.internal;

import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.Workflow.Lifecycle;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Versions of workflows that nodes have published.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class DefinitionDocument {
    private DefinitionDocument() {}

    public static Map<String, @Nullable Object> write(DefinitionInfo definition) {
        return new JsonObjectWriter()
                .put("workflow_name", definition.name())
                .put("workflow_version", definition.version())
                .put("signature", definition.signature())
                .put("lifecycle", text(definition.lifecycle()))
                .put("steps", definition.steps())
                .put("live", definition.live())
                .put("paused", definition.paused())
                .put("first_seen", definition.firstSeen())
                .done();
    }

    private static String text(Lifecycle lifecycle) {
        return lifecycle.name().toLowerCase(Locale.ROOT);
    }

    public static DefinitionInfo read(JsonObjectReader fields) {
        return DefinitionInfo.builder(
                        fields.text("workflow_name"),
                        fields.text("workflow_version"),
                        fields.text("signature"),
                        fields.parsed("lifecycle", Lifecycle::stored),
                        fields.instant("first_seen"))
                .steps(fields.texts("steps"))
                .live(fields.flag("live"))
                .paused(fields.flag("paused"))
                .build();
    }
}
