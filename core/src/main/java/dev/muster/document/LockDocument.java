package dev.muster.document;

import dev.muster.lock.LockInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are held.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LockDocument {
    private LockDocument() {}

    public static Map<String, @Nullable Object> write(LockInfo lock) {
        return new Members()
                .put("name", lock.name())
                .put("node", lock.node())
                .put("locked_at", lock.lockedAt())
                .put("expires_at", lock.expiresAt())
                .put("token", lock.token())
                .done();
    }

    public static LockInfo read(Fields fields) {
        return new LockInfo(
                fields.text("name"),
                fields.text("node"),
                fields.instant("locked_at"),
                fields.instant("expires_at"),
                fields.longNumber("token"));
    }
}
