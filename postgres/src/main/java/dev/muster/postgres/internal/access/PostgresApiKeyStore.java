package dev.muster.postgres.internal.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeyInfo.Status;
import dev.muster.access.KeyRequest;
import dev.muster.access.RotationRefused.Reason;
import dev.muster.access.Scope;
import dev.muster.internal.access.ApiKeyStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.access.VerifiedKey;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.NamePatterns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps API keys by their hashes, and writes an entry of the audit in the transaction of each change. */
public final class PostgresApiKeyStore implements ApiKeyStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);
    private static final int REMOVED_PER_PASS = 1_000;

    private final Database database;
    private final Readers readers;
    private final PostgresAuditStore audit;

    public PostgresApiKeyStore(Database database, Readers readers, PostgresAuditStore audit) {
        this.database = database;
        this.readers = readers;
        this.audit = audit;
    }

    @Override
    public Optional<ApiKeyInfo> create(NewKey key, KeyRequest request, NewAuditEntry entry) {
        Query create = database.query("keys/create")
                .with(p -> p.text(key.id())
                        .bytes(key.hash())
                        .text(request.name())
                        .texts(List.of(request.scope().text()))
                        .texts(request.roles())
                        .texts(request.names().texts())
                        .text(request.tenant().orElse(null))
                        .optional(request.expiresIn().map(Duration::toMillis).orElse(null)));
        return database.inRawTransaction(connection -> {
            if (create.update(connection) == 0) {
                return Optional.empty();
            }
            audit.writeDone(connection, entry);
            return find(connection, key.id());
        });
    }

    @Override
    public Optional<ApiKeyInfo> find(String id) {
        return database.readingRaw(connection -> find(connection, id));
    }

    private Optional<ApiKeyInfo> find(Connection connection, String id) throws SQLException {
        return database.query("keys/find").with(p -> p.text(id)).first(connection, PostgresApiKeyStore::info);
    }

    @Override
    public List<ApiKeyInfo> list() {
        return readers.asPlanned(
                LIST_LIMIT, connection -> database.query("keys/list").list(connection, PostgresApiKeyStore::info));
    }

    private static ApiKeyInfo info(ResultSet row) throws SQLException {
        return new ApiKeyInfo(
                row.getString("id"),
                row.getString("name"),
                scope(row).orElse(Scope.UNKNOWN),
                Set.of(texts(row, "roles")),
                NamePatterns.of(texts(row, "names")),
                Rows.optionalText(row, "tenant"),
                Rows.instant(row, "created_at"),
                Rows.optionalInstant(row, "expires_at"),
                Rows.optionalInstant(row, "revoked_at"),
                Rows.optionalInstant(row, "last_used_at"),
                Rows.optionalText(row, "replaced_by"),
                Status.stored(row.getString("status")));
    }

    /** The highest scope that this version knows. */
    private static Optional<Scope> scope(ResultSet row) throws SQLException {
        List<String> names = List.of(texts(row, "scopes"));
        return Scope.known().stream()
                .filter(scope -> names.contains(scope.text()))
                .max(Comparator.naturalOrder());
    }

    private static String[] texts(ResultSet row, String column) throws SQLException {
        return (String[]) row.getArray(column).getArray();
    }

    @Override
    public boolean revoke(String id, NewAuditEntry entry) {
        Query revoke = database.query("keys/revoke").with(p -> p.text(id));
        return database.inRawTransaction(connection -> {
            boolean revoked = revoke.update(connection) == 1;
            if (revoked) {
                audit.writeDone(connection, entry);
            }
            return revoked;
        });
    }

    @Override
    public Rotation rotate(String id, NewKey successor, Duration overlap, NewAuditEntry entry) {
        return database.inRawTransaction(connection -> {
            database.query("keys/lock").with(p -> p.text(id)).run(connection);
            Optional<Reason> refusal = refusal(find(connection, id));
            if (refusal.isPresent()) {
                return new Rotation.Refused(refusal.get());
            }
            int created = database.query("keys/create_successor")
                    .with(p -> p.text(successor.id()).bytes(successor.hash()).text(id))
                    .update(connection);
            if (created == 0) {
                return new Rotation.IdTaken();
            }
            database.query("keys/replace")
                    .with(p -> p.text(successor.id()).number(overlap.toMillis()).text(id))
                    .update(connection);
            audit.writeDone(connection, entry);
            return new Rotation.Rotated(find(connection, successor.id()).orElseThrow());
        });
    }

    private static Optional<Reason> refusal(Optional<ApiKeyInfo> locked) {
        if (locked.isEmpty()) {
            return Optional.of(Reason.UNKNOWN);
        }
        ApiKeyInfo key = locked.get();
        return switch (key.status()) {
            case REVOKED -> Optional.of(Reason.REVOKED);
            case EXPIRED -> Optional.of(Reason.EXPIRED);
            case UNKNOWN ->
                throw new MusterException(
                        "key " + key.id() + " has a status that this version of Muster does not know");
            case LIVE -> key.replacedBy().map(other -> Reason.REPLACED);
        };
    }

    @Override
    public Optional<StoredKey> findLive(String id) {
        try {
            return database.statement(connection -> findLive(connection, id));
        } catch (SQLException e) {
            throw translate(e);
        }
    }

    /** One statement that is its own transaction, for requests wait for it. */
    private Optional<StoredKey> findLive(Connection connection, String id) throws SQLException {
        String text = database.limits(connection) + database.sql("keys/find_live");
        try (PreparedStatement statement = Statements.prepare(connection, text)) {
            new Params(statement).text(id);
            statement.execute();
            ResultSet rows = Statements.lastResult(statement);
            return rows.next() ? stored(rows) : Optional.empty();
        }
    }

    /** Empty if the key has only scopes that this version does not know. */
    private static Optional<StoredKey> stored(ResultSet row) throws SQLException {
        Optional<Scope> scope = scope(row);
        if (scope.isEmpty()) {
            return Optional.empty();
        }
        VerifiedKey key = new VerifiedKey(
                row.getString("id"),
                row.getString("name"),
                scope.get(),
                Set.of(texts(row, "roles")),
                NamePatterns.of(texts(row, "names")),
                Rows.optionalText(row, "tenant"));
        Optional<Duration> left = Optional.ofNullable(row.getObject("left_us", Long.class))
                .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
        return Optional.of(new StoredKey(key, row.getBytes("hash"), left));
    }

    private static MusterException translate(SQLException e) {
        return SqlStates.lockNotAvailable(e) || SqlStates.timedOut(e)
                ? new DatabaseUnavailable("the database did not look up an API key in time: " + e.getMessage(), e)
                : DatabaseErrors.translate(e);
    }

    @Override
    public void noteUse(Collection<String> ids) {
        Query note = database.query("keys/note_use").with(p -> p.texts(ids));
        database.inRawTransaction(note::update);
    }

    @Override
    public boolean forget(Connection tx, Duration retain) throws SQLException {
        int removed = database.query("keys/forget", Map.of("limit", String.valueOf(REMOVED_PER_PASS)))
                .with(p -> p.number(retain.toMillis()))
                .update(tx);
        return removed == REMOVED_PER_PASS;
    }
}
