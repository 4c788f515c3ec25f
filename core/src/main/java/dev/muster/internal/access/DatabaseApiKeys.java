package dev.muster.internal.access;

import dev.muster.access.AccessRefused;
import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeys;
import dev.muster.access.Caller;
import dev.muster.access.CreatedKey;
import dev.muster.access.InvalidKeyRequest;
import dev.muster.access.KeyRequest;
import dev.muster.access.RotationRefused;
import dev.muster.access.RotationRefused.Reason;
import dev.muster.access.Scope;
import dev.muster.internal.access.ApiKeyStore.NewKey;
import dev.muster.internal.access.ApiKeyStore.Rotation;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** {@link ApiKeys} over an {@link ApiKeyStore}, as one caller may use them. */
final class DatabaseApiKeys implements ApiKeys {
    private final ApiKeyStore store;
    private final JsonCodec json;
    private final String node;
    private final Runnable changed;
    private final Caller caller;
    private final @Nullable String requestId;

    /**
     * @param node this node's id
     * @param changed tells all nodes that a key has changed
     */
    DatabaseApiKeys(ApiKeyStore store, JsonCodec json, String node, Runnable changed) {
        this(store, json, node, changed, Caller.program(node), null);
    }

    private DatabaseApiKeys(
            ApiKeyStore store,
            JsonCodec json,
            String node,
            Runnable changed,
            Caller caller,
            @Nullable String requestId) {
        this.store = store;
        this.json = json;
        this.node = node;
        this.changed = changed;
        this.caller = caller;
        this.requestId = requestId;
    }

    @Override
    public ApiKeys as(Caller newCaller) {
        return new DatabaseApiKeys(store, json, node, changed, newCaller, null);
    }

    @Override
    public ApiKeys as(Caller newCaller, String newRequestId) {
        return new DatabaseApiKeys(store, json, node, changed, newCaller, newRequestId);
    }

    @Override
    public CreatedKey create(KeyRequest request) {
        requireAdmin("create");
        if (caller.tenant().isPresent() && !caller.tenant().equals(request.tenant())) {
            throw new AccessRefused("'" + caller.name() + "' may create keys of its tenant '"
                    + caller.tenant().get() + "' only");
        }
        requireNames("create", request.names());
        while (true) {
            KeyText text = KeyText.random();
            Optional<ApiKeyInfo> created =
                    store.create(newKey(text), request, entry("keys.create", text.id(), details(request)));
            if (created.isPresent()) {
                changed.run();
                return new CreatedKey(created.get(), text.text());
            }
        }
    }

    private static Map<String, Object> details(KeyRequest request) {
        Map<String, Object> details = new TreeMap<>();
        details.put("name", request.name());
        details.put("scope", request.scope().text());
        details.put("roles", new TreeSet<>(request.roles()));
        details.put("names", request.names().texts());
        request.tenant().ifPresent(tenant -> details.put("tenant", tenant));
        request.expiresIn().ifPresent(lifetime -> details.put("expires_in_ms", lifetime.toMillis()));
        return details;
    }

    @Override
    public List<ApiKeyInfo> list() {
        return store.list().stream().filter(this::sees).toList();
    }

    @Override
    public Optional<ApiKeyInfo> find(String id) {
        return KeyText.isId(id) ? store.find(id).filter(this::sees) : Optional.empty();
    }

    /** A key never changes its tenant. */
    private boolean sees(ApiKeyInfo key) {
        return caller.tenant().isEmpty() || caller.tenant().equals(key.tenant());
    }

    @Override
    public boolean revoke(String id) {
        requireAdmin("revoke");
        boolean revoked = find(id).isPresent() && store.revoke(id, entry("keys.revoke", id, Map.of()));
        if (revoked) {
            changed.run();
        }
        return revoked;
    }

    @Override
    public CreatedKey rotate(String id, Duration overlap) {
        requireAdmin("rotate");
        if (overlap.isNegative() || overlap.compareTo(KeyRequest.LONGEST) > 0) {
            throw new InvalidKeyRequest(
                    "two keys overlap for 0s to " + KeyRequest.LONGEST.toDays() + "d, not for " + overlap);
        }
        Optional<ApiKeyInfo> known = find(id);
        if (known.isEmpty()) {
            throw new RotationRefused(id, Reason.UNKNOWN);
        }
        requireNames("rotate", known.get().names());
        while (true) {
            KeyText text = KeyText.random();
            Map<String, Object> details = Map.of("overlap_ms", overlap.toMillis(), "successor", text.id());
            Rotation rotation = store.rotate(id, newKey(text), overlap, entry("keys.rotate", id, details));
            if (rotation instanceof Rotation.Rotated rotated) {
                changed.run();
                return new CreatedKey(rotated.successor(), text.text());
            }
            if (rotation instanceof Rotation.Refused refused) {
                throw new RotationRefused(id, refused.reason());
            }
        }
    }

    private static NewKey newKey(KeyText text) {
        return new NewKey(text.id(), text.hash());
    }

    private void requireAdmin(String verb) {
        if (!caller.may(Scope.ADMIN)) {
            throw new AccessRefused(
                    "'" + caller.name() + "' may not " + verb + " keys: that needs the scope " + Scope.ADMIN.text());
        }
    }

    /** Whoever may start certain names only gets no key for others. */
    private void requireNames(String verb, NamePatterns wanted) {
        if (!caller.names().includes(wanted)) {
            throw new AccessRefused("'" + caller.name() + "' may " + verb
                    + " keys for names that it may start itself only: " + caller.names());
        }
    }

    private NewAuditEntry entry(String action, String target, Map<String, Object> details) {
        NewAuditEntry entry = NewAuditEntry.of(caller, action, target, node).details(json.write(details));
        return requestId == null ? entry : entry.requestId(requestId);
    }
}
