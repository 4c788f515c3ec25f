package dev.muster.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and drops the databases of one server. Names have at most 63 lower-case letters, digits and underscores. */
public final class Databases {
    private static final Logger log = LoggerFactory.getLogger(Databases.class);
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
    private static final int VALID_SECONDS = 5;

    private static final Set<String> LISTS_OF_NAMES =
            Set.of("local_preload_libraries", "search_path", "session_preload_libraries", "temp_tablespaces");

    private static final Pattern NAME_IN_LIST = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^\", ]+)");

    private final EmbeddedPostgres server;
    /** The connection of the last call: opening one takes as long as dropping a database. Whoever uses it takes it out. */
    private final AtomicReference<@Nullable Connection> spare = new AtomicReference<>();

    Databases(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Creates an empty database and returns its URL. */
    public String create(String name) {
        return createFromTemplate("template1", name);
    }

    /** Copies a database that has no connections, with its settings, and returns the copy's URL. */
    public String createFromTemplate(String template, String name) {
        // Copying files takes half as long as writing their pages to the log, even though it needs checkpoints.
        String copy =
                "CREATE DATABASE " + requireName(name) + " TEMPLATE " + requireName(template) + " STRATEGY = FILE_COPY";
        withConnection(copy, connection -> {
            execute(connection, copy);
            for (String setting : settings(connection, template)) {
                execute(connection, "ALTER DATABASE " + name + " SET " + setting);
            }
        });
        return server.jdbcUrl(name);
    }

    /**
     * What ALTER DATABASE has set, which the server does not copy: each as {@code name = values}. The server keeps each name of a list of
     * names quoted: one literal for all of them would be one name.
     */
    private static List<String> settings(Connection connection, String database) throws SQLException {
        List<String> settings = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT unnest(setconfig) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase"
                        + " WHERE datname = ? AND setrole = 0")) {
            query.setString(1, database);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    String[] setting = rows.getString(1).split("=", 2);
                    settings.add(setting[0] + " = "
                            + (LISTS_OF_NAMES.contains(setting[0]) ? names(setting[1]) : literal(setting[1])));
                }
            }
        }
        return settings;
    }

    private static String names(String list) {
        String names = NAME_IN_LIST
                .matcher(list)
                .results()
                .map(name -> literal(
                        name.group(1) == null ? name.group(2) : name.group(1).replace("\"\"", "\"")))
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "''" : names;
    }

    private static String literal(String text) {
        return (text.contains("\\") ? "E" : "") + "'"
                + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /** Drops a database if it exists, and ends the connections to it. */
    public void drop(String name) {
        String drop = "DROP DATABASE IF EXISTS " + requireName(name) + " WITH (FORCE)";
        withConnection(drop, connection -> {
            endConnections(connection, name, 500);
            execute(connection, drop);
        });
    }

    /** Ends the connections to a database and allows no new ones, so that it can be copied at any time. */
    void freeze(String name) {
        String freeze = "ALTER DATABASE " + requireName(name) + " ALLOW_CONNECTIONS false";
        withConnection(freeze, connection -> {
            execute(connection, freeze);
            endConnections(connection, name, 5_000);
        });
    }

    /**
     * Ends the connections to a database, and waits until they are gone. DROP DATABASE could do that, but looks every 100 ms only, and
     * nearly always has to wait: a server process ends a moment after its client has closed the connection.
     *
     * @param looks how often to look for connections, every 2 ms
     */
    private static void endConnections(Connection connection, String database, int looks) throws SQLException {
        try (PreparedStatement end = connection.prepareStatement(
                "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_get_activity(NULL) a"
                        + " WHERE a.datid = (SELECT d.oid FROM pg_database d WHERE d.datname = ?)")) {
            end.setString(1, database);
            for (int look = 0; look < looks; look++) {
                try (ResultSet rows = end.executeQuery()) {
                    rows.next();
                    if (rows.getLong(1) == 0) {
                        return;
                    }
                }
                TimeUnit.MILLISECONDS.sleep(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // The statement that follows waits for the rest.
        }
    }

    static String requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a database name: use lower-case letters, digits and _, at most 63");
        }
        return name;
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    /** @param what the statement that a failure is about */
    private void withConnection(String what, Work work) {
        try {
            Connection connection = connect();
            try {
                work.on(connection);
            } finally {
                keep(connection);
            }
        } catch (SQLException e) {
            throw new EmbeddedPostgresException("Failed on " + server + ": " + what + ": " + e.getMessage(), e);
        }
    }

    /** Each statement is a transaction of its own. */
    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connect() throws SQLException {
        Connection kept = spare.getAndSet(null);
        if (kept != null) {
            // The server may have been restarted since.
            if (kept.isValid(VALID_SECONDS)) {
                return kept;
            }
            kept.close();
        }
        return DriverManager.getConnection(server.jdbcUrl());
    }

    private void keep(Connection connection) throws SQLException {
        if (!spare.compareAndSet(null, connection)) {
            connection.close();
        }
    }

    /** The server is about to stop. */
    void close() {
        try {
            Connection kept = spare.getAndSet(null);
            if (kept != null) {
                kept.close();
            }
        } catch (SQLException e) {
            log.debug("the connection to {} could not be closed", server, e);
        }
    }
}
