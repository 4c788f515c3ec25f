package dev.muster.cli.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.cli.console.CommandFailed;
import dev.muster.config.DatabaseConfig;
import dev.muster.postgres.PostgresConnections;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;

/** Connections to the database that the settings name. */
public final class Connections {
    private static final String SCHEME = "jdbc:postgresql:";

    private final PostgresConnections connections;

    /** @throws CommandFailed if there is no database in the settings, or its URL makes no sense */
    public Connections(DatabaseConfig config) {
        String url = config.url()
                .orElseThrow(() -> CommandFailed.badInput("no database: give --url jdbc:postgresql://host/name, or set"
                        + " MUSTER_DATABASE_URL, or database.url in muster.toml"));
        if (!url.startsWith(SCHEME)) {
            throw CommandFailed.badInput("the database URL must start with " + SCHEME
                    + ", as in jdbc:postgresql://localhost:5432/app?user=me");
        }
        try {
            connections = new PostgresConnections(url, config);
        } catch (MusterException e) {
            throw CommandFailed.badInput("the database URL is not one that PostgreSQL's driver understands", e);
        }
    }

    /**
     * Connects once, so that a database that is not there is reported at once and in its own words.
     *
     * @throws DatabaseUnavailable if no connection could be made
     */
    public Connections check() {
        try {
            connections.connect().close();
            return this;
        } catch (SQLException e) {
            throw new DatabaseUnavailable(
                    "cannot reach the database at " + connections.address() + ": " + reason(e), e);
        }
    }

    /** The driver keeps these two to itself. */
    private static String reason(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "there is no host of that name";
        }
        return e.getCause() instanceof SocketTimeoutException
                        || String.valueOf(e.getMessage()).contains("timed out")
                ? "it does not answer"
                : String.valueOf(e.getMessage());
    }

    /** A pool that follows the profile and the primary, as the node's own does. */
    public HikariDataSource pool(String name, int size) {
        return connections.pool(name, size);
    }
}
