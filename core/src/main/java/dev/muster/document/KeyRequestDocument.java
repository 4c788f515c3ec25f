package dev.muster.document;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An API key to create, as JSON.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class KeyRequestDocument {
    private KeyRequestDocument() {}

    public static Map<String, @Nullable Object> write(KeyRequest request) {
        return new Members()
                .put("name", request.name())
                .put("scope", request.scope().text())
                .put("roles", List.copyOf(new TreeSet<>(request.roles())))
                .put("tenant", request.tenant())
                .put("expires_in", Members.duration(request.expiresIn()))
                .done();
    }

    /** @throws InvalidDocument if it is no such request */
    public static KeyRequest read(Fields fields) {
        fields.refuseOthers("name", "scope", "roles", "tenant", "expires_in");
        return fields.placed(
                "name",
                fields.text("name"),
                name -> new KeyRequest(
                        name,
                        fields.parsed("scope", Scope::parse),
                        Set.copyOf(fields.texts("roles")),
                        fields.optionalText("tenant"),
                        fields.optionalDuration("expires_in")));
    }
}
