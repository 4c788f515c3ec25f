package dev.muster.postgres.internal.access;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.runtime.StorableText;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the entry of an action before it begins and its outcome after it, and lists entries. */
public final class PostgresAuditStore implements AuditStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(10);
    private static final int MAX_OUTCOME = 1_000;
    private static final int REMOVED_PER_PASS = 1_000;

    private final Database database;
    private final Readers readers;

    public PostgresAuditStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public long begin(NewAuditEntry entry) {
        return database.inRawTransaction(connection -> write(connection, entry, null));
    }

    /** Writes the entry of an action that the same transaction does. */
    void writeDone(Connection connection, NewAuditEntry entry) throws SQLException {
        write(connection, entry, DONE);
    }

    private long write(Connection connection, NewAuditEntry entry, @Nullable String outcome) throws SQLException {
        return database.query("audit/begin")
                .with(p -> p.text(entry.caller())
                        .text(entry.callerName())
                        .text(entry.address().orElse(null))
                        .text(entry.tenant().orElse(null))
                        .text(entry.action())
                        .text(entry.target())
                        .text(entry.details())
                        .text(entry.requestId().orElse(null))
                        .text(entry.node())
                        .text(outcome))
                .one(connection, row -> row.getLong("id"));
    }

    @Override
    public void end(long id, String outcome) {
        String storable = StorableText.of(outcome);
        String kept = storable.length() <= MAX_OUTCOME ? storable : storable.substring(0, MAX_OUTCOME - 1) + "…";
        Query end = database.query("audit/end").with(p -> p.text(kept).number(id));
        database.inRawTransaction(end::update);
    }

    @Override
    public void remove(long id) {
        Query remove = database.query("audit/remove").with(p -> p.number(id));
        database.inRawTransaction(remove::update);
    }

    @Override
    public List<AuditEntry> list(AuditQuery query) {
        Filter filter = new Filter();
        filter.add("a.caller", query.caller());
        filter.add("a.action", query.action());
        filter.add("a.target", query.target());
        Query list = database.query("audit/list", Map.of("filter", filter.text.toString()))
                .with(p -> filter.bind(p.number(query.before().orElse(Long.MAX_VALUE)))
                        .number(query.limit()));
        return readers.alongIndexes(LIST_LIMIT, connection -> list.list(connection, PostgresAuditStore::entry));
    }

    /** The conditions that a query names, and their values. */
    private static final class Filter {
        final StringBuilder text = new StringBuilder();
        final List<String> values = new ArrayList<>();

        void add(String column, Optional<String> value) {
            value.ifPresent(wanted -> {
                text.append(" AND ").append(column).append(" = ?");
                values.add(StorableText.of(wanted));
            });
        }

        Params bind(Params params) throws SQLException {
            for (String value : values) {
                params.text(value);
            }
            return params;
        }
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        return new AuditEntry(
                row.getLong("id"),
                Rows.instant(row, "at"),
                row.getString("caller"),
                row.getString("caller_name"),
                Rows.optionalText(row, "address"),
                Rows.optionalText(row, "tenant"),
                row.getString("action"),
                row.getString("target"),
                row.getString("details"),
                Rows.optionalText(row, "request_id"),
                row.getString("node"),
                Rows.optionalText(row, "outcome"));
    }

    @Override
    public boolean forget(Connection tx, Duration retain) throws SQLException {
        int removed = database.query("audit/forget", Map.of("limit", String.valueOf(REMOVED_PER_PASS)))
                .with(p -> p.number(retain.toMillis()))
                .update(tx);
        return removed == REMOVED_PER_PASS;
    }
}
