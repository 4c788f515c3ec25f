package dev.muster.document.internal;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.DaemonInfo.Status;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Daemons.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class DaemonDocument {
    private DaemonDocument() {}

    public static Map<String, @Nullable Object> write(DaemonInfo daemon) {
        return new JsonObjectWriter()
                .put("name", daemon.name())
                .put("per_node", daemon.slot().isPresent())
                .put("status", daemon.status().text())
                .put("node", daemon.node())
                .put("token", daemon.token())
                .put("restarts", daemon.restarts())
                .put("started_at", daemon.startedAt())
                .put("last_error", daemon.lastError())
                .put("failed_at", daemon.failedAt())
                .put("slot", daemon.slot())
                .done();
    }

    public static DaemonInfo read(JsonObjectReader fields) {
        return new DaemonInfo(
                fields.text("name"),
                fields.optionalText("slot"),
                fields.parsed("status", Status::stored),
                fields.optionalText("node"),
                fields.optionalLong("token"),
                fields.integer("restarts"),
                fields.optionalInstant("started_at"),
                fields.optionalText("last_error"),
                fields.optionalInstant("failed_at"));
    }
}
