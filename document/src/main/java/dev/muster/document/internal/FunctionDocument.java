package dev.muster.document.internal;

import dev.muster.cluster.PublishedFunction;
import dev.muster.internal.config.DurationText;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Functions as their nodes publish them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class FunctionDocument {
    private FunctionDocument() {}

    public static Map<String, @Nullable Object> write(PublishedFunction function) {
        return new JsonObjectWriter()
                .put("name", function.name())
                .put("kind", function.kind())
                .put("roles", function.roles())
                .put("timeout", DurationText.format(function.timeout()))
                .put("limit", function.limit())
                .put("args", function.args())
                .put("result", function.result())
                .done();
    }

    public static PublishedFunction read(JsonObjectReader fields) {
        Duration timeout = fields.parsed("timeout", DurationText::parse);
        return new PublishedFunction(
                fields.text("name"),
                fields.text("kind"),
                fields.texts("roles"),
                timeout,
                fields.optionalText("limit"),
                fields.optionalText("args"),
                fields.text("result"));
    }
}
