package dev.muster.document.internal;

import dev.muster.lock.LockInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a lock that is held as JSON, with its holder and its token, and reads it back.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LockDocument {
    private LockDocument() {}

    public static Map<String, @Nullable Object> write(LockInfo lock) {
        return new JsonObjectWriter()
                .put("name", lock.name())
                .put("node", lock.node())
                .put("locked_at", lock.lockedAt())
                .put("expires_at", lock.expiresAt())
                .put("token", lock.token())
                .done();
    }

    public static LockInfo read(JsonObjectReader fields) {
        return new LockInfo(
                fields.text("name"),
                fields.text("node"),
                fields.instant("locked_at"),
                fields.instant("expires_at"),
                fields.longNumber("token"));
    }
}
