package dev.muster.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and drops the databases of one server. Names have at most 63 lower-case letters, digits and underscores. */
public final class Databases {
    private static final Logger log = LoggerFactory.getLogger(Databases.class);
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
    private static final int VALID_SECONDS = 5;

    /** Lists of names, which the server keeps with each name quoted: one literal for all of them would be one name. */
    private static final String LISTS_OF_NAMES =
            "'local_preload_libraries', 'search_path', 'session_preload_libraries', 'temp_tablespaces'";

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
        execute(
                // Copying files takes half as long as writing their pages to the log, even though it needs checkpoints.
                "CREATE DATABASE " + requireName(name) + " TEMPLATE " + requireName(template) + " STRATEGY = FILE_COPY",
                copySettings(template, name));
        return server.jdbcUrl(name);
    }

    /** The server copies what is in a database, but not what ALTER DATABASE has set for it. */
    private static String copySettings(String from, String to) {
        return """
                DO $do$
                DECLARE
                  setting text;
                  name text;
                  value text;
                BEGIN
                  FOR setting IN
                    SELECT unnest(setconfig) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
                    WHERE datname = '%s' AND setrole = 0
                  LOOP
                    name := split_part(setting, '=', 1);
                    value := quote_literal(substr(setting, strpos(setting, '=') + 1));
                    IF name IN (%s) THEN
                      SELECT coalesce(string_agg(quote_literal(coalesce(replace(part[1], '""', '"'), part[2])), ', ' ORDER BY i), '''''')
                      INTO value
                      FROM regexp_matches(substr(setting, strpos(setting, '=') + 1), '"((?:[^"]|"")*)"|([^", ]+)', 'g')
                        WITH ORDINALITY AS names (part, i);
                    END IF;
                    EXECUTE format('ALTER DATABASE %s SET %%s = %%s', name, value);
                  END LOOP;
                END
                $do$""".formatted(from, LISTS_OF_NAMES, to);
    }

    /** Drops a database if it exists, and ends the connections to it. */
    public void drop(String name) {
        execute(endConnections(requireName(name), 500), "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    /** Ends the connections to a database and allows no new ones, so that it can be copied at any time. */
    void freeze(String name) {
        execute("ALTER DATABASE " + requireName(name) + " ALLOW_CONNECTIONS false", endConnections(name, 5_000));
    }

    /**
     * Ends the connections to a database, and waits until they are gone. DROP DATABASE could do that, but looks every 100 ms only, and
     * nearly always has to wait: a server process ends a moment after its client has closed the connection.
     *
     * @param looks how often to look for connections, every 2 ms
     */
    private static String endConnections(String database, int looks) {
        return """
                DO $do$
                BEGIN
                  FOR look IN 1 .. %d LOOP
                    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s';
                    EXIT WHEN NOT FOUND;
                    PERFORM pg_sleep(0.002);
                    PERFORM pg_stat_clear_snapshot();
                  END LOOP;
                END
                $do$""".formatted(looks, database);
    }

    static String requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a database name: use lower-case letters, digits and _, at most 63");
        }
        return name;
    }

    /** Each statement is a transaction of its own. */
    private void execute(String... statements) {
        String current = "the connection";
        try {
            Connection connection = connect();
            try (Statement statement = connection.createStatement()) {
                for (String next : statements) {
                    current = next;
                    statement.execute(next);
                }
            } finally {
                keep(connection);
            }
        } catch (SQLException e) {
            throw new EmbeddedPostgresException("Failed on " + server + ": " + current + ": " + e.getMessage(), e);
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
