package dev.muster.document;

import dev.muster.access.AuditEntry;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit as JSON.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class AuditDocument {
    private AuditDocument() {}

    public static Map<String, @Nullable Object> write(AuditEntry entry) {
        return new Members()
                .put("id", entry.id())
                .put("at", entry.at())
                .put("caller", entry.caller())
                .put("caller_name", entry.callerName())
                .put("address", entry.address())
                .put("tenant", entry.tenant())
                .put("action", entry.action())
                .put("target", entry.target())
                .raw("details", Optional.of(entry.details()))
                .put("request_id", entry.requestId())
                .put("node", entry.node())
                .put("outcome", entry.outcome())
                .done();
    }

    public static AuditEntry read(Fields fields) {
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
