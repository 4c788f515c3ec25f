package dev.muster.document.internal;

import dev.muster.access.CallerInfo;
import dev.muster.access.Scope;
import dev.muster.runtime.NamePatterns;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who calls a gateway.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class CallerDocument {
    private CallerDocument() {}

    public static Map<String, @Nullable Object> write(CallerInfo caller) {
        return new JsonObjectWriter()
                .put("id", caller.id())
                .put("scope", caller.scope().text())
                .put("names", caller.names().texts())
                .put("tenant", caller.tenant())
                .put("observer", caller.observer())
                .put("auth", caller.auth().text())
                .put("node", caller.node())
                .put("version", caller.version())
                .done();
    }

    public static CallerInfo read(JsonObjectReader fields) {
        return new CallerInfo(
                fields.text("id"),
                fields.parsed("scope", Scope::stored),
                fields.placed("names", fields.texts("names"), NamePatterns::of),
                fields.optionalText("tenant"),
                fields.flag("observer"),
                fields.parsed("auth", CallerInfo.Auth::stored),
                fields.optionalText("node"),
                fields.text("version"));
    }
}
