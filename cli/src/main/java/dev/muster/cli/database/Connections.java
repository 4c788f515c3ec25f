package dev.muster.cli.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.cli.console.CommandFailed;
import dev.muster.config.DatabaseConfig;
import dev.muster.runtime.DatabaseUnavailable;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections to the database that the settings name. */
public final class Connections {
    private static final String SCHEME = "jdbc:postgresql:";
    private static final int CONNECT_SECONDS = 5;
    private static final int LOGIN_SECONDS = 8;

    private final PGSimpleDataSource direct;

    /** @throws CommandFailed if there is no database in the settings, or its URL makes no sense */
    public Connections(DatabaseConfig config) {
        String url = config.url()
                .orElseThrow(() -> CommandFailed.badInput("no database: give --url jdbc:postgresql://host/name, or set"
                        + " MUSTER_DATABASE_URL, or database.url in muster.toml"));
        if (!url.startsWith(SCHEME)) {
            throw CommandFailed.badInput("the database URL must start with " + SCHEME
                    + ", as in jdbc:postgresql://localhost:5432/app?user=me");
        }
        direct = new PGSimpleDataSource();
        direct.setTcpKeepAlive(true);
        direct.setConnectTimeout(CONNECT_SECONDS);
        direct.setLoginTimeout(LOGIN_SECONDS);
        direct.setSocketTimeout(60);
        direct.setApplicationName("muster");
        try {
            direct.setUrl(url);
        } catch (IllegalArgumentException e) {
            throw CommandFailed.badInput("the database URL is not one that PostgreSQL's driver understands", e);
        }
        config.username().ifPresent(direct::setUser);
        config.password().ifPresent(direct::setPassword);
    }

    /**
     * Connects once, so that a database that is not there is reported at once and in its own words.
     *
     * @throws DatabaseUnavailable if no connection could be made
     */
    public Connections check() {
        try {
            direct.getConnection().close();
            return this;
        } catch (SQLException e) {
            String where =
                    direct.getServerNames()[0] + ":" + direct.getPortNumbers()[0] + "/" + direct.getDatabaseName();
            throw new DatabaseUnavailable("cannot reach the database at " + where + ": " + reason(e), e);
        }
    }

    /** The driver keeps these two to itself. */
    private static String reason(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "there is no host of that name";
        }
        return e.getCause() instanceof SocketTimeoutException ? "it does not answer" : String.valueOf(e.getMessage());
    }

    /** A pool that opens connections when they are needed and closes them when they are not. */
    public HikariDataSource pool(String name, int size) {
        HikariConfig hikari = new HikariConfig();
        hikari.setDataSource(direct);
        hikari.setPoolName(name);
        hikari.setMaximumPoolSize(size);
        hikari.setMinimumIdle(0);
        hikari.setIdleTimeout(30_000);
        hikari.setConnectionTimeout(LOGIN_SECONDS * 1_000L);
        hikari.setInitializationFailTimeout(-1);
        return new HikariDataSource(hikari);
    }
}
