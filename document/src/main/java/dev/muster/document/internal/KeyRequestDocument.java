package dev.muster.document.internal;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests for API keys.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class KeyRequestDocument {
    private static final int MOST_ROLES = 1_000;

    private KeyRequestDocument() {}

    public static Map<String, @Nullable Object> write(KeyRequest request) {
        return new JsonObjectWriter()
                .put("name", request.name())
                .put("scope", request.scope().text())
                .put("roles", request.roles().stream().sorted().toList())
                .put("names", request.names().texts())
                .put("tenant", request.tenant())
                .put("expires_in", JsonObjectWriter.duration(request.expiresIn()))
                .done();
    }

    public static KeyRequest read(JsonObjectReader fields) {
        fields.refuseOthers("name", "scope", "roles", "names", "tenant", "expires_in");
        Scope scope = fields.parsed("scope", Scope::parse);
        KeyRequest request = fields.placed("name", fields.text("name"), name -> KeyRequest.of(name, scope));
        if (fields.sizeOf("roles") > MOST_ROLES) {
            throw fields.refusal("roles", "may have " + MOST_ROLES + " roles, not " + fields.sizeOf("roles"));
        }
        request = fields.placed("roles", Set.copyOf(fields.texts("roles")), request::roles);
        if (fields.has("names")) {
            request = fields.placed("names", Set.copyOf(fields.texts("names")), request::names);
        }
        Optional<String> tenant = fields.optionalText("tenant");
        request = tenant.isEmpty() ? request : fields.placed("tenant", tenant.get(), request::tenant);
        Optional<Duration> lifetime = fields.optionalDuration("expires_in");
        return lifetime.isEmpty() ? request : fields.placed("expires_in", lifetime.get(), request::expiresIn);
    }
}
