package dev.muster.document.internal;

import dev.muster.overview.RateLimitUsage;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many permits of a rate limit are used.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class RateLimitDocument {
    private RateLimitDocument() {}

    public static Map<String, @Nullable Object> write(RateLimitUsage limit) {
        return new JsonObjectWriter()
                .put("key", limit.key())
                .put("used", limit.used())
                .put("permits", limit.permits())
                .put("window_ms", limit.window().toMillis())
                .put("resets_at", limit.resetsAt())
                .done();
    }

    public static RateLimitUsage read(JsonObjectReader fields) {
        return new RateLimitUsage(
                fields.text("key"),
                fields.longNumber("used"),
                fields.optionalInteger("permits"),
                Duration.ofMillis(fields.longNumber("window_ms")),
                fields.instant("resets_at"));
    }
}
