package dev.muster.access;

import dev.muster.runtime.ObserverRefusal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The API keys of an observer: reading works, changes are refused. */
record ObserverApiKeys(ApiKeys keys) implements ApiKeys {

    @Override
    public CreatedKey create(KeyRequest request) {
        throw new ObserverRefusal("create API keys");
    }

    @Override
    public List<ApiKeyInfo> list() {
        return keys.list();
    }

    @Override
    public Optional<ApiKeyInfo> find(String id) {
        return keys.find(id);
    }

    @Override
    public boolean revoke(String id) {
        throw new ObserverRefusal("revoke API keys");
    }

    @Override
    public CreatedKey rotate(String id, Duration overlap) {
        throw new ObserverRefusal("rotate API keys");
    }

    @Override
    public ApiKeys as(Caller caller) {
        return new ObserverApiKeys(keys.as(caller));
    }

    @Override
    public ApiKeys as(Caller caller, String requestId) {
        return new ObserverApiKeys(keys.as(caller, requestId));
    }
}
