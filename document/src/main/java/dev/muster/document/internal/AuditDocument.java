package dev.muster.document.internal;

import dev.muster.access.AuditEntry;
import dev.muster.job.RawJson;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries of the audit.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class AuditDocument {
    private AuditDocument() {}

    public static Map<String, @Nullable Object> write(AuditEntry entry) {
        return new JsonObjectWriter()
                .put("id", entry.id())
                .put("at", entry.at())
                .put("caller", entry.caller())
                .put("caller_name", entry.callerName())
                .put("address", entry.address())
                .put("tenant", entry.tenant())
                .put("action", entry.action())
                .put("target", entry.target())
                .put("request_id", entry.requestId())
                .put("node", entry.node())
                .put("outcome", entry.outcome())
                .put("details", details(entry.details()))
                .done();
    }

    /** As a text, if somebody has written something else than JSON. */
    private static Object details(String text) {
        try {
            Json.read(text);
            return new RawJson(text);
        } catch (InvalidDocument e) {
            return text;
        }
    }

    public static AuditEntry read(JsonObjectReader fields) {
        return new AuditEntry(
                fields.longNumber("id"),
                fields.instant("at"),
                fields.text("caller"),
                fields.text("caller_name"),
                fields.optionalText("address"),
                fields.optionalText("tenant"),
                fields.text("action"),
                fields.text("target"),
                fields.raw("details"),
                fields.optionalText("request_id"),
                fields.text("node"),
                fields.optionalText("outcome"));
    }
}
