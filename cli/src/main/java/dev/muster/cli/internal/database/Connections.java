package dev.muster.cli.internal.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.config.DatabaseConfig;
import dev.muster.postgres.internal.PostgresConnections;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections to the database that the settings name. */
public final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);
    private static final String SCHEME = "jdbc:postgresql:";
    private static final long BETWEEN_TRIES_MS = 500;

    private final PostgresConnections connections;

    /** What error messages call the server. */
    private final String server;

    /** @throws CommandFailed if the settings name no database, or its URL is wrong */
    public Connections(DatabaseConfig config) {
        this(open("the database URL", url(config), () -> new PostgresConnections(url(config), config)), "the database");
    }

    private Connections(PostgresConnections connections, String server) {
        this.connections = connections;
        this.server = server;
    }

    /**
     * Connections to the server that {@code database.read_url} names.
     *
     * @throws CommandFailed if the URL is wrong
     */
    static Connections ofReplica(DatabaseConfig config) {
        String url = config.readUrl().orElseThrow();
        return new Connections(
                open("database.read_url", url, () -> PostgresConnections.ofReplica(url, config)),
                "the server of database.read_url");
    }

    private static String url(DatabaseConfig config) {
        return config.url()
                .orElseThrow(() -> CommandFailed.badInput("no database: give --url jdbc:postgresql://host/name, or set"
                        + " MUSTER_DATABASE_URL, or database.url in muster.toml"));
    }

    private static PostgresConnections open(String what, String url, Supplier<PostgresConnections> connections) {
        if (!url.startsWith(SCHEME)) {
            throw CommandFailed.badInput(
                    what + " must start with " + SCHEME + ", such as jdbc:postgresql://localhost:5432/app?user=me");
        }
        try {
            return connections.get();
        } catch (MusterException e) {
            throw CommandFailed.badInput(what + " is not one that PostgreSQL's driver understands", e);
        }
    }

    /**
     * Connects once, so that an unreachable database is reported at once and with its own reason.
     *
     * @throws DatabaseUnavailable if no connection could be made
     */
    public Connections check() {
        try {
            connections.connect().close();
            return this;
        } catch (SQLException e) {
            throw new DatabaseUnavailable(
                    "cannot reach " + server + " at " + connections.address() + ": " + reason(e), e);
        }
    }

    /**
     * Connects once, and again while the server cannot be reached or refuses connections, as it does while it starts. Says once in the log
     * that it waits.
     *
     * @throws DatabaseUnavailable if no connection could be made within this time, or never will be, such as with a wrong password
     */
    public Connections await(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean told = false;
        while (true) {
            try {
                return check();
            } catch (DatabaseUnavailable e) {
                if (!mayComeBack(e) || System.nanoTime() - end >= 0) {
                    throw e;
                }
                if (!told) {
                    log.warn("{}; waiting for it, up to {} s", e.getMessage(), limit.toSeconds());
                    told = true;
                }
                pause();
            }
        }
    }

    private static boolean mayComeBack(DatabaseUnavailable e) {
        return e.getCause() instanceof SQLException reason
                && SqlStates.connectionLost(reason)
                && !(reason.getCause() instanceof UnknownHostException);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_TRIES_MS);
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the database", e);
        }
    }

    /** Names two common reasons that the driver's own message does not contain. */
    private static String reason(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "there is no host with that name";
        }
        return e.getCause() instanceof SocketTimeoutException
                        || String.valueOf(e.getMessage()).contains("timed out")
                ? "it does not answer"
                : String.valueOf(e.getMessage());
    }

    /** A pool that respects {@code database.profile} and follows the primary, as the node's own pool does. */
    public HikariDataSource pool(String name, int size) {
        return connections.pool(name, size);
    }
}
