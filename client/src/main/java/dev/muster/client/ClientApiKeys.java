package dev.muster.client;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeys;
import dev.muster.access.Caller;
import dev.muster.access.CreatedKey;
import dev.muster.access.InvalidKeyRequest;
import dev.muster.access.KeyRequest;
import dev.muster.document.internal.ApiKeyDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.KeyRequestDocument;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** API keys over HTTP. The gateway decides by the key of the client what it may do. */
final class ClientApiKeys implements ApiKeys {
    private static final String KEYS = "/_api/keys";

    private final Gateway gateway;

    ClientApiKeys(Gateway gateway) {
        this.gateway = gateway.invalid(InvalidKeyRequest::new);
    }

    @Override
    public CreatedKey create(KeyRequest request) {
        return ApiKeyDocument.readCreated(gateway.post(KEYS, KeyRequestDocument.write(request), false));
    }

    @Override
    public List<ApiKeyInfo> list() {
        return gateway.get(KEYS).list("keys").stream().map(ApiKeyDocument::read).toList();
    }

    @Override
    public Optional<ApiKeyInfo> find(String id) {
        return gateway.find(Gateway.path(KEYS, id)).map(ApiKeyDocument::read);
    }

    @Override
    public boolean revoke(String id) {
        return gateway.changes("DELETE", Gateway.path(KEYS, id), null, false);
    }

    @Override
    public CreatedKey rotate(String id, Duration overlap) {
        Map<String, @Nullable Object> body = new JsonObjectWriter()
                .put("overlap", JsonObjectWriter.duration(Optional.of(overlap)))
                .done();
        return ApiKeyDocument.readCreated(gateway.post(Gateway.path(KEYS, id, "rotate"), body, false));
    }

    @Override
    public ApiKeys as(Caller caller) {
        throw new NeedsDatabase("acting as another caller");
    }

    @Override
    public ApiKeys as(Caller caller, String requestId) {
        return as(caller);
    }
}
