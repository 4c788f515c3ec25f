package dev.muster.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/** Creates and drops the databases of one server. Names have at most 63 lower-case letters, digits and underscores. */
public final class Databases {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private final EmbeddedPostgres server;

    Databases(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Creates an empty database and returns its URL. */
    public String create(String name) {
        return createFromTemplate("template1", name);
    }

    /** Copies a database that has no connections, with its settings, and returns the copy's URL. */
    public String createFromTemplate(String template, String name) {
        execute("CREATE DATABASE " + requireName(name) + " TEMPLATE " + requireName(template)
                + " STRATEGY = FILE_COPY");
        copySettings(template, name);
        return server.jdbcUrl(name);
    }

    /** The server copies what is in a database, but not what ALTER DATABASE has set for it. */
    private void copySettings(String from, String to) {
        execute("""
                DO $do$
                DECLARE
                  setting text;
                BEGIN
                  FOR setting IN
                    SELECT unnest(setconfig) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
                    WHERE datname = '%s' AND setrole = 0
                  LOOP
                    EXECUTE format('ALTER DATABASE %s SET %%s = %%s', split_part(setting, '=', 1),
                      CASE WHEN split_part(setting, '=', 1) = 'search_path'
                        THEN substr(setting, strpos(setting, '=') + 1)
                        ELSE quote_literal(substr(setting, strpos(setting, '=') + 1)) END);
                  END LOOP;
                END
                $do$""".formatted(from, to));
    }

    /** Drops a database if it exists, and ends the connections to it. */
    public void drop(String name) {
        execute("DROP DATABASE IF EXISTS " + requireName(name) + " WITH (FORCE)");
    }

    /** Ends the connections to a database and allows no new ones, so that it can be copied at any time. */
    void freeze(String name) {
        execute("ALTER DATABASE " + requireName(name) + " ALLOW_CONNECTIONS false");
        execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '" + name + "'");
    }

    static String requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a database name: use lower-case letters, digits and _, at most 63");
        }
        return name;
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new EmbeddedPostgresException("Failed on " + server + ": " + sql + ": " + e.getMessage(), e);
        }
    }
}
