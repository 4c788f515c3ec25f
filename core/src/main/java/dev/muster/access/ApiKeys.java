package dev.muster.access;

import dev.muster.runtime.Writes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The API keys with which callers reach the gateway. Every change is written to the {@link Audit} together with the change itself.
 */
public interface ApiKeys {

    /** Creates a key. Its text is in the answer and cannot be read again. */
    @Writes("create API keys")
    CreatedKey create(KeyRequest request);

    /** All keys: those that are live first, then those that expired or were revoked; the newest first. */
    List<ApiKeyInfo> list();

    Optional<ApiKeyInfo> find(String id);

    /**
     * Ends a key at once. Nodes that are connected refuse it from now on, all others after 5 s at most.
     *
     * @return false if no live key has this id
     */
    @Writes("revoke API keys")
    boolean revoke(String id);

    /**
     * Creates a successor with the same name, scope, roles, tenant and lifetime. The old key stays live for the overlap, or until it expires if
     * that is earlier.
     *
     * @param overlap how long both are live, 0 to 3650 days
     * @throws InvalidKeyRequest if the overlap is not allowed
     * @throws RotationRefused if no live key has this id, or it has a successor already
     */
    @Writes("rotate API keys")
    CreatedKey rotate(String id, Duration overlap);

    /**
     * The keys as this caller may use them: the audit names the caller. A caller with a tenant sees and changes keys of that tenant only.
     * Changes throw {@link AccessRefused} if the caller may not make them. Whoever makes changes through this writes no entry in the audit
     * for them.
     */
    ApiKeys as(Caller caller);

    /** The same; the audit names the request too. */
    ApiKeys as(Caller caller, String requestId);
}
