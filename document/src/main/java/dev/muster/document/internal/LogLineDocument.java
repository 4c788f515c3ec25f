package dev.muster.document.internal;

import dev.muster.job.LogLine;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines that handlers logged.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LogLineDocument {
    private LogLineDocument() {}

    public static Map<String, @Nullable Object> write(LogLine line) {
        return new JsonObjectWriter()
                .put("line", line.line())
                .put("at", line.at())
                .put("attempt", line.attempt())
                .put("level", line.level())
                .put("message", line.message())
                .done();
    }

    public static LogLine read(JsonObjectReader fields) {
        return new LogLine(
                fields.longNumber("line"),
                fields.instant("at"),
                fields.integer("attempt"),
                fields.text("level"),
                fields.text("message"));
    }
}
