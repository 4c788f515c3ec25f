package dev.muster.postgres.internal.schema;

import dev.muster.internal.runtime.Names;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.MusterException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the SQL files in {@code migrations/} in one transaction under a lock: nodes that start together wait for each other,
 * and the later ones find nothing to do. The files name no schema, but use {@code search_path}, so that a program's own
 * migration tool can run them too.
 *
 * <pre>
 *   numbered    V001__clock, V002__jobs …     tables and indexes; each is applied once, in order
 *   repeatable  R__functions_…, R__views      functions and views; each is applied after the numbered ones, and again
 *                                             whenever its text has changed
 * </pre>
 *
 * <ul>
 *   <li>Every function and view is in one file. A function that a table needs in order to be created is in a numbered file.
 *   <li>An older Muster that starts on a schema that a newer one has migrated applies no repeatable file, because it would
 *       replace newer functions by older ones. Each row of {@code muster_migrations} has the {@link #LEVEL} of the Muster that
 *       wrote it.
 *   <li>Nodes of the previous version keep running beside this one. CONTRIBUTING.md, "Changing the tables", says how files have
 *       to be changed so that they can.
 * </ul>
 */
public final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);

    /** Raised with the first change of a file after a release. */
    static final int LEVEL = 1;

    /** In the order of their numbers. Never change one that was released; add the next. */
    private static final List<String> NUMBERED = List.of(
            "V001__clock",
            "V002__jobs",
            "V003__history",
            "V004__cluster",
            "V005__schedule",
            "V006__daemons",
            "V007__metrics",
            "V008__attempts",
            "V010__node_version",
            "V011__workflows",
            "V012__workflow_chains",
            "V013__graphs",
            "V014__placements_and_batches",
            "V015__rate_limits",
            "V016__undecided_graphs",
            "V017__queue_limits",
            "V018__concurrency_groups",
            "V019__lifted_jobs",
            "V020__concurrency_bursts",
            "V021__executors",
            "V022__access",
            "V024__function_calls",
            "V025__traces",
            "V026__last_of_chains",
            "V027__queue_counts",
            "V028__group_positions",
            "V029__jobs_due_for_admission",
            "V030__concurrency_begins",
            "V032__names_of_keys",
            "V033__tenants",
            "V035__requests_with_keys",
            "V036__unhappy_runs");

    /** In the order of their names, as Flyway applies them. */
    private static final List<String> REPEATABLE = List.of(
            "R__functions_admission",
            "R__functions_admission_begins",
            "R__functions_batches",
            "R__functions_claims",
            "R__functions_days",
            "R__functions_dead_nodes",
            "R__functions_graphs",
            "R__functions_placement",
            "R__functions_rate_limits",
            "R__functions_server",
            "R__functions_values",
            "R__functions_workflows",
            "R__views");

    /** The first half of the lock's key, arbitrary but the same in every version. The second half is the schema's hash. */
    private static final int LOCK_SPACE = 0x6d757374;

    private static final int TRIES = 6;

    private static final String CREATE_TABLE = "CREATE TABLE IF NOT EXISTS muster_migrations"
            + " (version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),"
            + " checksum text NOT NULL, level integer NOT NULL)";

    /** Changes no row if another node has entered the same file; waits for a node that is about to. */
    private static final String ENTER =
            "INSERT INTO muster_migrations AS m (version, checksum, level) VALUES (%s, %s, %s)"
                    + " ON CONFLICT (version) DO ";

    private static final String ENTER_ONCE = ENTER + "NOTHING";

    private static final String ENTER_AGAIN = ENTER + "UPDATE SET checksum = excluded.checksum, level = excluded.level,"
            + " applied_at = excluded.applied_at WHERE m.checksum <> excluded.checksum AND m.level <= excluded.level";

    /** Each is read and hashed once: a test suite starts hundreds of nodes. */
    private static final Map<String, String> CHECKSUMS = new ConcurrentHashMap<>();

    private final Database database;
    private final boolean portable;

    /** @param portable whether to work without a lock: then the keys of {@code muster_migrations} decide between two nodes */
    public Migrations(Database database, boolean portable) {
        this.database = database;
        this.portable = portable;
    }

    /** The names of all migrations, in the order in which they are applied. */
    public static List<String> names() {
        return withRepeatable(NUMBERED);
    }

    private static List<String> withRepeatable(List<String> numbered) {
        return Stream.concat(numbered.stream(), REPEATABLE.stream()).toList();
    }

    /** The text of one migration. */
    public static String text(String name) {
        return SqlFiles.read("migrations/" + name + ".sql");
    }

    /**
     * The numbered migrations that come after this one, and all repeatable ones: without the database it is not known which of
     * these have changed, and they can be applied again.
     *
     * @param version the name of a numbered migration, or the part of it before {@code __}, or its number
     * @throws IllegalArgumentException if there is no such migration
     */
    public static List<String> after(String version) {
        for (int i = 0; i < NUMBERED.size(); i++) {
            String name = NUMBERED.get(i);
            String number = number(name);
            boolean same = version.matches("\\d{1,9}")
                    ? Integer.parseInt(version) == Integer.parseInt(number)
                    : version.equals(name) || version.equalsIgnoreCase("V" + number);
            if (same) {
                return withRepeatable(NUMBERED.subList(i + 1, NUMBERED.size()));
            }
        }
        throw new IllegalArgumentException(
                "there is no migration '" + version + "'; there are " + String.join(", ", NUMBERED));
    }

    private static String number(String numbered) {
        return numbered.substring(1, numbered.indexOf("__"));
    }

    /**
     * These migrations as one script, for people who run them themselves. It has the same result as {@link #up}.
     *
     * @param names some of {@link #names}, in their order
     * @param transaction whether the script begins and commits the transaction in which all of it must run
     */
    public static String script(String schema, List<String> names, boolean transaction) {
        Names.requireSchema(schema);
        if (names.isEmpty()) {
            return "-- There is no further migration for schema " + schema + ".\n";
        }
        boolean all = names.equals(names());
        StringBuilder script = new StringBuilder("-- Muster's tables in schema " + schema + ": "
                + (all ? "all of them" : String.join(", ", names))
                + ". To be run in one transaction, by the role that is to own the tables.\n");
        if (transaction) {
            script.append("BEGIN;\n");
        }
        if (all) {
            script.append("CREATE SCHEMA IF NOT EXISTS ").append(schema).append(";\n");
        }
        script.append(searchPath(schema)).append(";\n");
        if (all) {
            script.append(CREATE_TABLE).append(";\n");
        }
        for (String name : names) {
            String text = text(name);
            // If a numbered file was applied already, the script is not for this schema and has to fail.
            String enter = isRepeatable(name) ? ENTER_AGAIN : ENTER.substring(0, ENTER.indexOf(" ON CONFLICT"));
            script.append("\n-- ")
                    .append(name)
                    .append(".sql\n")
                    .append(text.strip())
                    .append('\n')
                    .append(String.format(enter, "'" + name + "'", "'" + checksum(text) + "'", LEVEL))
                    .append(";\n");
        }
        return transaction ? script.append("\nCOMMIT;\n").toString() : script.toString();
    }

    private static boolean isRepeatable(String name) {
        return name.startsWith("R__");
    }

    private static String checksumOf(String name) {
        return CHECKSUMS.computeIfAbsent(name, n -> checksum(text(n)));
    }

    /** A checksum that depends neither on comments nor on the line endings of a checkout. */
    static String checksum(String text) {
        String statements = SqlFiles.withoutComments(text.replace("\r\n", "\n"));
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(statements.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Functions that run with their owner's rights keep this path. It names {@code pg_temp} last: if it is not named,
     * PostgreSQL searches it first and finds whatever any role has put there.
     */
    private static String searchPath(String schema) {
        return "SET LOCAL search_path TO " + schema + ", pg_temp";
    }

    /** Another text whenever {@link #up} makes something else of an empty schema. */
    public static String fingerprint() {
        return checksum(LEVEL
                + CREATE_TABLE
                + ENTER_ONCE
                + ENTER_AGAIN
                + names().stream().map(name -> name + checksumOf(name)).collect(Collectors.joining()));
    }

    /** Applies the missing migrations and returns their names. If none is missing, it needs no right to create anything. */
    public List<String> up() {
        if (pending().isEmpty()) {
            return List.of();
        }
        for (int attempt = 1; ; attempt++) {
            try {
                List<String> applied = database.once(this::up);
                tell(applied);
                return applied;
            } catch (SQLException e) {
                if (SqlStates.notAllowed(e)) {
                    throw new MusterException(
                            "this role may not migrate schema '" + database.schema() + "' (" + e.getMessage()
                                    + "), which lacks " + String.join(", ", pending())
                                    + "; run 'muster migrate up' as a role that may",
                            e);
                }
                if (attempt >= TRIES || !raced(e)) {
                    throw DatabaseErrors.translate(e);
                }
                Database.pause(attempt);
            }
        }
    }

    private void tell(List<String> applied) {
        if (applied.contains(NUMBERED.get(0))) {
            log.info("schema={} has Muster's tables now, migrations={}", database.schema(), applied.size());
        } else if (!applied.isEmpty()) {
            log.info("schema={} applied migrations={}", database.schema(), String.join(",", applied));
        }
    }

    /**
     * Whether to try again after a moment: after a deadlock, after an error of CREATE … IF NOT EXISTS because another node
     * creates the same object, or if a table is in use. A migration must not wait long for a table, because all later users of
     * the table would wait behind it.
     */
    private static boolean raced(SQLException e) {
        return SqlStates.worthRepeating(e) || SqlStates.alreadyExists(e) || SqlStates.lockNotAvailable(e);
    }

    private List<String> up(Connection connection) throws SQLException {
        // There is no time limit for a migration, or for waiting for another node's migration.
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
                String text = text(name);
                if (enter(connection, name, text)) {
                    statement.execute(text);
                    applied.add(name);
                }
            }
            return applied;
        }
    }

    /** False if another node came first; waits for a node that is about to enter the file. */
    private static boolean enter(Connection connection, String name, String text) throws SQLException {
        String sql = String.format(isRepeatable(name) ? ENTER_AGAIN : ENTER_ONCE, "?", "?", "?");
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, name);
            insert.setString(2, checksum(text));
            insert.setInt(3, LEVEL);
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

    /** The migrations that {@link #up} would apply. */
    public List<String> pending() {
        return database.inRawTransaction(this::missing);
    }

    private List<String> missing(Connection connection) throws SQLException {
        Map<String, Applied> applied = applied(connection);
        requireOurs(applied.keySet());
        boolean newer = applied.values().stream().anyMatch(row -> row.level() > LEVEL);
        List<String> missing = new ArrayList<>();
        for (String name : names()) {
            Applied row = applied.get(name);
            boolean lacks = isRepeatable(name)
                    ? !newer && (row == null || !row.checksum().equals(checksumOf(name)))
                    : row == null;
            if (lacks) {
                missing.add(name);
            }
        }
        return missing;
    }

    /** @param level the level of the Muster that applied it */
    private record Applied(String checksum, int level) {}

    /**
     * Tables of an unreleased Muster have the same names but other columns. They are recognized by their migrations, which have
     * the same numbers with other names. Unknown numbers belong to a newer Muster.
     */
    private void requireOurs(Set<String> applied) {
        Set<String> numbers = NUMBERED.stream().map(Migrations::number).collect(Collectors.toSet());
        for (String name : applied) {
            if (name.matches("V\\d+__.*") && numbers.contains(number(name)) && !NUMBERED.contains(name)) {
                throw new MusterException(
                        "schema '" + database.schema() + "' has tables of a Muster that was never released"
                                + " (muster_migrations names " + name
                                + "), and they cannot be brought up to date. Drop what has the"
                                + " prefix muster_ in it, or set database.schema or database.url to another place; then run 'muster"
                                + " migrate up'");
            }
        }
    }

    private Map<String, Applied> applied(Connection connection) throws SQLException {
        Map<String, Applied> applied = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            String table = database.schema() + ".muster_migrations";
            ResultSet exists = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL");
            exists.next();
            if (exists.getBoolean(1)) {
                // Columns are read by name, because the table of an unreleased Muster lacks some of them.
                ResultSet rows = statement.executeQuery("SELECT version, coalesce(to_jsonb(m) ->> 'checksum', ''),"
                        + " coalesce((to_jsonb(m) ->> 'level')::int, 0) FROM " + table + " m");
                while (rows.next()) {
                    applied.put(rows.getString(1), new Applied(rows.getString(2), rows.getInt(3)));
                }
            }
        }
        return applied;
    }

    /** Fails with advice if a migration is missing. */
    public void check() {
        List<String> missing = pending();
        if (!missing.isEmpty()) {
            throw new MusterException("schema '" + database.schema() + "' lacks " + String.join(", ", missing)
                    + "; run 'muster migrate up', or set database.migrate to auto");
        }
    }
}
