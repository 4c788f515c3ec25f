package dev.muster.internal.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.KeyRequest;
import dev.muster.access.RotationRefused.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The API keys of the cluster. Whether a key is live is decided by the database's clock. Each change is committed together with its entry
 * in the audit, whose outcome is {@code done}; a call that changes nothing leaves no entry.
 */
public interface ApiKeyStore {

    /** @return the key as it is stored; empty, and nothing is changed, if another key has this id */
    Optional<ApiKeyInfo> create(NewKey key, KeyRequest request, NewAuditEntry audit);

    /** Reads what was committed last, not what a standby has. */
    Optional<ApiKeyInfo> find(String id);

    /** All keys: those that are live first, then the others; the newest first. */
    List<ApiKeyInfo> list();

    /** @return false, and nothing is changed, if no live key has this id */
    boolean revoke(String id, NewAuditEntry audit);

    /**
     * Creates a successor with the name, scope, roles, names, tenant and lifetime of a live key that has no successor yet, and lets the key expire
     * after the overlap unless it does so earlier. Of several calls at the same time one succeeds.
     */
    Rotation rotate(String id, NewKey successor, Duration overlap, NewAuditEntry audit);

    /**
     * The key with this id if it is live; for verifying what a caller has sent.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database does not answer in time
     */
    Optional<StoredKey> findLive(String id);

    /**
     * Writes that these keys were used now. It leaves out keys of which somebody has written that within the last minute, and those that
     * are being changed.
     */
    void noteUse(Collection<String> ids);

    /**
     * Removes some keys that expired or were revoked longer ago than this.
     *
     * @return whether there may be more
     */
    boolean forget(Connection tx, Duration retain) throws SQLException;

    /**
     * What is stored of a new key's text.
     *
     * @param hash the SHA-256 of the whole text
     */
    record NewKey(String id, byte[] hash) {
        @Override
        public String toString() {
            return "NewKey[id=" + id + "]";
        }
    }

    /**
     * A live key.
     *
     * @param hash the SHA-256 of the whole text
     * @param left how long it is valid from the moment at which the database was asked; empty: forever
     */
    record StoredKey(VerifiedKey key, byte[] hash, Optional<Duration> left) {
        @Override
        public String toString() {
            return "StoredKey[key=" + key + ", left=" + left + "]";
        }
    }

    /** What became of a rotation. */
    sealed interface Rotation {

        /** The successor, as it is stored. */
        record Rotated(ApiKeyInfo successor) implements Rotation {}

        /** Nothing was changed. */
        record Refused(Reason reason) implements Rotation {}

        /** Nothing was changed, because another key has the id that the successor was to have. */
        record IdTaken() implements Rotation {}
    }
}
