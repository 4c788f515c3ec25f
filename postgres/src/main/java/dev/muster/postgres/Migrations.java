package dev.muster.postgres;

import dev.muster.runtime.MusterException;
import dev.muster.runtime.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbered SQL files, applied once each, in order, in one transaction under a lock: nodes that start
 * together take turns, and the later ones find nothing to do. The files name no schema; {@code
 * search_path} does, so a host's own migration tool can run them too.
 */
public final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);

    /** Every migration, in order. Never change one that was released; add the next. */
    private static final List<String> FILES = List.of(
            "V001__jobs",
            "V002__job_life",
            "V003__payload_encryption",
            "V004__leaders",
            "V005__cluster",
            "V006__schedule",
            "V007__metrics",
            "V008__idle",
            "V009__copy",
            "V010__claims",
            "V011__looks",
            "V012__checks",
            "V013__history_check",
            "V014__servers",
            "V015__failure_detection",
            "V016__schedule_upkeep",
            "V017__metadata",
            "V018__looks_with_many_lanes",
            "V019__job_dependencies",
            "V020__views_beside_many_jobs",
            "V021__node_labels",
            "V022__single_worker",
            "V023__revokes");

    /** Arbitrary, and the same in every version: the lock's first half. The second is the schema's hash. */
    private static final int LOCK_SPACE = 0x6d757374;

    private static final int TRIES = 6;

    /**
     * Deadlocks, what CREATE … IF NOT EXISTS says when another node creates the same thing just now, and tables that somebody
     * is using: whoever comes after a migration that waits for them waits as well, so it waits a moment and tries again.
     */
    private static final Set<String> RACED = Set.of("40001", "40P01", "23505", "42P06", "42P07", "42710", "55P03");

    private static final String NOT_ALLOWED = "42501";

    private static final String CREATE_TABLE = "CREATE TABLE IF NOT EXISTS muster_migrations"
            + " (version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())";

    private final Database database;
    private final boolean portable;

    /** @param portable without a lock: what two nodes begin at once is decided by the keys of {@code muster_migrations} */
    Migrations(Database database, boolean portable) {
        this.database = database;
        this.portable = portable;
    }

    /** The names of all migrations, in order. */
    public static List<String> names() {
        return FILES;
    }

    /** The text of one migration. */
    public static String text(String name) {
        return SqlFiles.read("migrations/" + name + ".sql");
    }

    /**
     * The migrations that come after this one.
     *
     * @param version the name of a migration, or the part of it before {@code __}, or its number
     * @throws IllegalArgumentException if there is no such migration
     */
    public static List<String> after(String version) {
        for (int i = 0; i < FILES.size(); i++) {
            String name = FILES.get(i);
            String number = name.substring(1, name.indexOf("__"));
            boolean same = version.matches("\\d{1,9}")
                    ? Integer.parseInt(version) == Integer.parseInt(number)
                    : version.equals(name) || version.equalsIgnoreCase("V" + number);
            if (same) {
                return FILES.subList(i + 1, FILES.size());
            }
        }
        throw new IllegalArgumentException(
                "there is no migration '" + version + "'; there are " + String.join(", ", FILES));
    }

    /**
     * These migrations as one script, for people to run themselves: it leaves a schema that lacks them as {@link #up} does.
     *
     * @param names some of {@link #names}, in their order
     * @param transaction whether the script begins and commits the transaction in which all of it must run
     */
    public static String script(String schema, List<String> names, boolean transaction) {
        Names.requireSchema(schema);
        if (names.isEmpty()) {
            return "-- There is no further migration for schema " + schema + ".\n";
        }
        StringBuilder script = new StringBuilder("-- Muster's tables in schema " + schema + ": "
                + (names.equals(FILES) ? "all of them" : names.get(0) + " to " + names.get(names.size() - 1))
                + ". To be run in one transaction, by the role that is to own the tables.\n");
        if (transaction) {
            script.append("BEGIN;\n");
        }
        if (names.equals(FILES)) {
            script.append("CREATE SCHEMA IF NOT EXISTS ").append(schema).append(";\n");
        }
        script.append(searchPath(schema)).append(";\n");
        if (names.equals(FILES)) {
            script.append(CREATE_TABLE).append(";\n");
        }
        for (String name : names) {
            script.append("\n-- ")
                    .append(name)
                    .append(".sql\n")
                    .append(text(name).strip())
                    .append("\nINSERT INTO muster_migrations (version) VALUES ('")
                    .append(name)
                    .append("');\n");
        }
        return transaction ? script.append("\nCOMMIT;\n").toString() : script.toString();
    }

    /**
     * Functions that run with their owner's rights keep this path. It names {@code pg_temp} last: unless it is named,
     * PostgreSQL looks there first, and finds whatever any role has put there.
     */
    private static String searchPath(String schema) {
        return "SET LOCAL search_path TO " + schema + ", pg_temp";
    }

    /** Applies what is missing and returns its names. Where nothing is, it needs no right to create anything. */
    List<String> up() {
        if (pending().isEmpty()) {
            return List.of();
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return database.once(this::up);
            } catch (SQLException e) {
                if (NOT_ALLOWED.equals(e.getSQLState())) {
                    throw new MusterException(
                            "this role may not migrate schema '" + database.schema() + "' (" + e.getMessage()
                                    + "), which lacks " + String.join(", ", pending())
                                    + "; run 'muster migrate up' as a role that may",
                            e);
                }
                if (attempt >= TRIES || !RACED.contains(String.valueOf(e.getSQLState()))) {
                    throw Database.translate(e);
                }
                Database.pause(attempt);
            }
        }
    }

    private List<String> up(Connection connection) throws SQLException {
        // A migration takes as long as it takes, and so does waiting for another node's.
        connection.setNetworkTimeout(Runnable::run, 0);
        lock(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '3s'");
            if (!schemaExists(connection)) {
                statement.execute("CREATE SCHEMA IF NOT EXISTS " + database.schema());
            }
            statement.execute(searchPath(database.schema()));
            statement.execute("SET LOCAL client_min_messages TO warning");
            statement.execute(CREATE_TABLE);
            List<String> applied = new ArrayList<>();
            for (String name : missing(connection)) {
                if (enter(connection, name)) {
                    statement.execute(text(name));
                    log.info("schema={} applied migration={}", database.schema(), name);
                    applied.add(name);
                }
            }
            return applied;
        }
    }

    /** False if another node came first; waits for one that is about to. */
    private static boolean enter(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO muster_migrations (version) VALUES (?) ON CONFLICT (version) DO NOTHING")) {
            insert.setString(1, name);
            return insert.executeUpdate() == 1;
        }
    }

    private void lock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(Database.READ_COMMITTED);
            statement.execute("SET LOCAL statement_timeout = 0");
            statement.execute("SET LOCAL lock_timeout = '60s'");
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = '30s'");
            if (!portable) {
                statement.execute("SELECT pg_advisory_xact_lock(" + LOCK_SPACE + ", "
                        + database.schema().hashCode() + ")");
            }
        }
    }

    private boolean schemaExists(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)")) {
            statement.setString(1, database.schema());
            ResultSet rows = statement.executeQuery();
            rows.next();
            return rows.getBoolean(1);
        }
    }

    /** What {@link #up} would apply. */
    List<String> pending() {
        return database.inRawTransaction(this::missing);
    }

    private List<String> missing(Connection connection) throws SQLException {
        Set<String> applied = applied(connection);
        List<String> missing = new ArrayList<>(FILES);
        missing.removeAll(applied);
        return missing;
    }

    private Set<String> applied(Connection connection) throws SQLException {
        Set<String> applied = new HashSet<>();
        try (Statement statement = connection.createStatement()) {
            String table = database.schema() + ".muster_migrations";
            ResultSet exists = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL");
            exists.next();
            if (exists.getBoolean(1)) {
                ResultSet rows = statement.executeQuery("SELECT version FROM " + table);
                while (rows.next()) {
                    applied.add(rows.getString(1));
                }
            }
        }
        return applied;
    }

    /** Fails with advice if something is missing. */
    void check() {
        List<String> missing = pending();
        if (!missing.isEmpty()) {
            throw new MusterException("schema '" + database.schema() + "' lacks " + String.join(", ", missing)
                    + "; run 'muster migrate up', or set database.migrate to auto");
        }
    }
}
