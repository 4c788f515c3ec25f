package dev.muster.postgres;

import dev.muster.config.DatabaseConfig;
import dev.muster.config.DatabaseConfig.Profile;
import dev.muster.postgres.internal.db.ConnectionAborter;
import dev.muster.postgres.internal.db.KnownServers;
import dev.muster.postgres.internal.db.KnownServers.Primary;
import dev.muster.postgres.internal.db.KnownServers.Server;
import dev.muster.postgres.internal.db.PromptSocketFactory;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.UuidArray;
import dev.muster.runtime.MusterException;
import java.io.PrintWriter;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connects to the primary among the servers that a PostgreSQL URL names. Each server is asked separately and has a few seconds
 * to answer, so that a frozen server does not block the next one; the last known primary is asked first. When the primary is
 * found on another server than before, the connections to the others are ended, including those in use.
 *
 * <p>The driver alone does not do this: it waits {@code socketTimeout} for the first server's answer, and {@code
 * loginTimeout}, which every pool sets, covers all servers together. Use this class as the source of your own pool.
 *
 * <p>{@code connectTimeout} in the URL is the time limit for the login to each server; without it the limit is 4 s, and up to 8
 * s while no server answers. {@code socketTimeout} in the URL, or 60 s, applies after the login. With a {@code
 * targetServerType} other than {@code primary} the driver chooses the server.
 */
public final class PrimaryDataSource implements DataSource {
    static final String SCHEME = "jdbc:postgresql:";
    private static final int SOCKET_TIMEOUT_S = 60;

    /** uuid[] and tid[], which the driver would send as text; see {@link UuidArray}. */
    private static final String BINARY_ARRAYS = "2951,1010";

    private static final Set<String> PRIMARY = Set.of("primary", "master");
    private static final String WHICH_SERVER = "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN '0'"
            + " ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,"
            + " (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

    private final PGSimpleDataSource template;
    private final String url;
    private final @Nullable KnownServers servers;
    private final boolean several;
    private final boolean portable;
    private volatile @Nullable PrintWriter logWriter;

    /** @throws MusterException if PostgreSQL's driver does not accept the URL */
    public PrimaryDataSource(String url) {
        this(url, false, "database.url");
    }

    /** @param setting the name of the URL for error messages */
    private PrimaryDataSource(String url, boolean portable, String setting) {
        if (!url.startsWith(SCHEME)) {
            throw new MusterException(
                    setting + " must start with " + SCHEME + ", such as jdbc:postgresql://localhost:5432/app");
        }
        this.url = url;
        this.portable = portable;
        try {
            this.template = settings();
        } catch (IllegalArgumentException e) {
            throw new MusterException(
                    setting + " is not a PostgreSQL JDBC URL, which looks like jdbc:postgresql://host:5432/database");
        }
        List<Server> named = named(template);
        this.several = named.size() > 1;
        boolean chosenHere = !several || !names("targetServerType") || PRIMARY.contains(template.getTargetServerType());
        this.servers = chosenHere ? KnownServers.named(named) : null;
    }

    /** The source for {@code database.url} and the other database settings. */
    public static PrimaryDataSource of(String url, DatabaseConfig config) {
        return of(url, config, "database.url");
    }

    /**
     * The source for {@code database.read_url}: the server may be a standby. If the URL names several servers and no {@code
     * targetServerType}, the driver prefers one that is a standby.
     */
    public static PrimaryDataSource ofReplica(String url, DatabaseConfig config) {
        String any = url.contains("targetServerType=")
                ? url
                : url + (url.contains("?") ? "&" : "?") + "targetServerType=preferSecondary";
        return of(any, config, "database.read_url");
    }

    private static PrimaryDataSource of(String url, DatabaseConfig config, String setting) {
        PrimaryDataSource source = new PrimaryDataSource(url, config.profile() == Profile.PORTABLE, setting);
        // The settings are for a URL that names no user; on a standby people often read as another role.
        if (source.names("user")) {
            return source;
        }
        config.username().ifPresent(source.template::setUser);
        config.password().ifPresent(source.template::setPassword);
        return source;
    }

    /** The driver's settings: those of the URL, and Muster's defaults for the rest. The driver uses the first value of each. */
    PGSimpleDataSource settings() {
        PGSimpleDataSource settings = new PGSimpleDataSource();
        settings.setUrl(url);
        if (!names("tcpKeepAlive")) {
            settings.setTcpKeepAlive(true);
        }
        if (!names("socketTimeout")) {
            settings.setSocketTimeout(SOCKET_TIMEOUT_S);
        }
        if (!names("ApplicationName")) {
            settings.setApplicationName("muster");
        }
        if (!names("binaryTransferEnable")) {
            settings.setBinaryTransferEnable(BINARY_ARRAYS);
        }
        // A service file may name a socket factory too.
        if (!names("socketFactory") && !names("service") && driverSees(PromptSocketFactory.class)) {
            settings.setSocketFactory(PromptSocketFactory.class.getName());
        }
        if (portable) {
            settings.setPrepareThreshold(0);
        }
        return settings;
    }

    /** The driver finds classes by name with its own class loader, which in a servlet container may not be Muster's. */
    private static boolean driverSees(Class<?> type) {
        try {
            return Class.forName(type.getName(), false, PGSimpleDataSource.class.getClassLoader()) == type;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** The servers and the database, as in the URL. */
    public String address() {
        return named(template).stream().map(Server::toString).collect(Collectors.joining(",")) + "/"
                + template.getDatabaseName();
    }

    private boolean names(String property) {
        return url.contains(property + "=");
    }

    private static List<Server> named(PGSimpleDataSource source) {
        String[] hosts = source.getServerNames();
        int[] ports = source.getPortNumbers();
        return IntStream.range(0, hosts.length)
                .mapToObj(i -> new Server(hosts[i], ports[i] == 0 ? 5432 : ports[i]))
                .toList();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(template.getUser(), template.getPassword());
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        if (servers == null) {
            return usable(login(null, user, password, template.getConnectTimeout()));
        }
        List<String> reasons = new ArrayList<>();
        SQLException first = null;
        Connection past = null;
        for (Server server : servers.inOrder()) {
            Connection connection = null;
            try {
                connection = ask(servers, server, user, password);
                if (!several) {
                    return usable(connection);
                }
                Primary primary = primaryBehind(connection);
                if (primary == null) {
                    reasons.add(server + " is a standby");
                } else if (servers.take(connection, server, primary)) {
                    close(past);
                    return usable(connection);
                } else {
                    reasons.add(server + " is an old primary");
                    if (past == null) {
                        servers.takeForWantOfABetterOne(connection, server, primary);
                        past = connection;
                        continue;
                    }
                }
            } catch (SQLException e) {
                first = first == null ? e : first;
                reasons.add(server + " " + reason(e));
            }
            close(connection);
        }
        if (past != null) {
            // No better server answers. A node that has worked on a newer timeline refuses this one.
            return usable(past);
        }
        if (!several && first != null) {
            throw first;
        }
        throw new SQLException(
                "there is no primary among the servers: " + String.join("; ", reasons),
                SqlStates.orElse(first, SqlStates.CANNOT_CONNECT),
                first);
    }

    private Connection ask(KnownServers all, Server server, @Nullable String user, @Nullable String password)
            throws SQLException {
        int limit = names("connectTimeout") ? template.getConnectTimeout() : all.limitSeconds();
        long asked = System.nanoTime();
        try {
            Connection connection = login(server, user, password, limit);
            all.answered(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked));
            return connection;
        } catch (SQLException e) {
            if (limit > 0 && System.nanoTime() - asked >= TimeUnit.SECONDS.toNanos(limit)) {
                all.silent(server);
            }
            throw e;
        }
    }

    /** @param server null if the driver chooses */
    private Connection login(@Nullable Server server, @Nullable String user, @Nullable String password, int limit)
            throws SQLException {
        PGSimpleDataSource source = settings();
        source.setConnectTimeout(limit);
        source.setSocketTimeout(limit);
        if (server != null) {
            source.setLoginTimeout(limit);
            source.setServerNames(new String[] {server.host()});
            source.setPortNumbers(new int[] {server.port()});
        }
        if (server != null && several) {
            source.setTargetServerType("any");
        }
        return source.getConnection(user, password);
    }

    /** Null if the server is a standby. */
    private static @Nullable Primary primaryBehind(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery(WHICH_SERVER);
            rows.next();
            return rows.getBoolean(1) ? null : new Primary(Long.parseLong(rows.getString(2), 16), rows.getLong(3));
        }
    }

    private Connection usable(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, template.getSocketTimeout() * 1_000);
        return connection;
    }

    private static void close(@Nullable Connection connection) {
        if (connection != null) {
            ConnectionAborter.abort(connection);
        }
    }

    /** Describes what is wrong with a server, also where the driver's message does not. */
    static String reason(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "is a host that nobody knows";
        }
        boolean silent = e.getCause() instanceof SocketTimeoutException
                || String.valueOf(e.getMessage()).contains("attempt timed out");
        return silent ? "does not answer" : "says: " + e.getMessage();
    }

    /** Ignored, even if a pool sets it: it would cover all servers together, but each server has its own limit. */
    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return logWriter;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        logWriter = out;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (!type.isInstance(this)) {
            throw new SQLException("this is no " + type.getName());
        }
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
