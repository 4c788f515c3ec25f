package dev.muster.document.internal;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeyInfo.Status;
import dev.muster.access.CreatedKey;
import dev.muster.access.Scope;
import dev.muster.runtime.NamePatterns;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * API keys.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class ApiKeyDocument {
    private ApiKeyDocument() {}

    public static Map<String, @Nullable Object> write(ApiKeyInfo key) {
        return put(new JsonObjectWriter().put("id", key.id()), key).done();
    }

    /** A key that was just created, with its text. */
    public static Map<String, @Nullable Object> write(CreatedKey created) {
        ApiKeyInfo key = created.info();
        return put(new JsonObjectWriter().put("id", key.id()).put("key", created.key()), key)
                .done();
    }

    private static JsonObjectWriter put(JsonObjectWriter members, ApiKeyInfo key) {
        return members.put("name", key.name())
                .put("scope", key.scope().text())
                .put("roles", key.roles().stream().sorted().toList())
                .put("names", key.names().texts())
                .put("tenant", key.tenant())
                .put("status", key.status().text())
                .put("created_at", key.createdAt())
                .put("expires_at", key.expiresAt())
                .put("revoked_at", key.revokedAt())
                .put("last_used_at", key.lastUsedAt())
                .put("replaced_by", key.replacedBy());
    }

    public static ApiKeyInfo read(JsonObjectReader fields) {
        return new ApiKeyInfo(
                fields.text("id"),
                fields.text("name"),
                fields.parsed("scope", Scope::stored),
                Set.copyOf(fields.texts("roles")),
                fields.placed("names", fields.texts("names"), NamePatterns::of),
                fields.optionalText("tenant"),
                fields.instant("created_at"),
                fields.optionalInstant("expires_at"),
                fields.optionalInstant("revoked_at"),
                fields.optionalInstant("last_used_at"),
                fields.optionalText("replaced_by"),
                fields.parsed("status", Status::stored));
    }

    public static CreatedKey readCreated(JsonObjectReader fields) {
        return new CreatedKey(read(fields), fields.text("key"));
    }
}
