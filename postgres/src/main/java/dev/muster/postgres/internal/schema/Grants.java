package dev.muster.postgres.internal.schema;

import dev.muster.postgres.internal.db.Database;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The grants that a role needs to work with Muster's tables, read from the catalog: for all objects in the schema that have
 * Muster's prefix and the owner of {@code muster_migrations}. Partitions are left out: they are read and written through their
 * tables, and created and dropped by functions that run with their owner's rights.
 */
public final class Grants {

    /** The kinds of objects, in the order in which they are granted. */
    private enum Kind {
        MIGRATIONS,
        TABLE,
        /** A table of keys. Whoever only reads does not get its column with their hashes or secrets. */
        KEYS,
        VIEW,
        SEQUENCE,
        /** Runs with the rights of its caller, who gains nothing by it. */
        FUNCTION,
        /** Runs with the rights of its owner. */
        OWNERS_FUNCTION
    }

    private final Database database;

    public Grants(Database database) {
        this.database = database;
    }

    public List<String> statements(String role, boolean readOnly) {
        return database.inRawTransaction(connection -> {
            String grantee = quoted(connection, role);
            Map<Kind, List<String>> things = things(connection);
            List<String> statements = new ArrayList<>();
            String usage = schemaUsage(connection, role, grantee);
            if (usage != null) {
                statements.add(usage);
            }
            String ofTables = readOnly ? "SELECT" : "SELECT, INSERT, UPDATE, DELETE";
            add(statements, ofTables, "TABLE", things.get(Kind.TABLE), grantee);
            for (String keys : things.get(Kind.KEYS)) {
                String ofKeys = readOnly ? "SELECT (" + readableColumns(connection, keys) + ")" : ofTables;
                add(statements, ofKeys, "TABLE", List.of(keys), grantee);
            }
            add(statements, "SELECT", "TABLE", things.get(Kind.VIEW), grantee);
            add(statements, "SELECT", "TABLE", things.get(Kind.MIGRATIONS), grantee);
            add(statements, readOnly ? "SELECT" : "SELECT, USAGE", "SEQUENCE", things.get(Kind.SEQUENCE), grantee);
            add(statements, "EXECUTE", "FUNCTION", things.get(Kind.FUNCTION), grantee);
            if (!readOnly) {
                add(statements, "EXECUTE", "FUNCTION", things.get(Kind.OWNERS_FUNCTION), grantee);
            }
            return statements;
        });
    }

    /** Null if the role may use the schema already, as every role may use {@code public}. */
    private @Nullable String schemaUsage(Connection connection, String role, String grantee) throws SQLException {
        String grant = "GRANT USAGE ON SCHEMA " + database.schema() + " TO " + grantee + ";";
        return database.query("grants/schema_usage")
                .with(p -> p.text(role).text(database.schema()).text(database.schema()))
                .one(connection, row -> {
                    if (row.getBoolean("has")) {
                        return null;
                    }
                    return row.getBoolean("grantable") ? grant : "-- to be run by the owner of the schema\n" + grant;
                });
    }

    private String readableColumns(Connection connection, String table) throws SQLException {
        return database.query("grants/readable_columns")
                .with(p -> p.text(table))
                .one(connection, row -> row.getString(1));
    }

    private static void add(List<String> statements, String rights, String kind, List<String> things, String grantee) {
        if (!things.isEmpty()) {
            statements.add("GRANT " + rights + " ON " + kind + "\n  " + String.join(",\n  ", things) + "\n  TO "
                    + grantee + ";");
        }
    }

    private String quoted(Connection connection, String role) throws SQLException {
        return database.query("grants/role")
                .with(p -> p.text(role))
                .first(connection, row -> row.getString(1))
                .orElseThrow(
                        () -> new MusterException("there is no role '" + role + "' on this server; create it first"));
    }

    private Map<Kind, List<String>> things(Connection connection) throws SQLException {
        Map<Kind, List<String>> things = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            things.put(kind, new ArrayList<>());
        }
        database.query("grants/own_things")
                .with(p -> p.text(database.schema()).text(database.schema()))
                .each(
                        connection,
                        row -> things.get(Kind.valueOf(row.getString("kind"))).add(row.getString("name")));
        if (things.get(Kind.MIGRATIONS).isEmpty()) {
            throw new MusterException("schema '" + database.schema()
                    + "' has none of Muster's tables; run 'muster migrate up' first, as the role that is to own them");
        }
        return things;
    }
}
