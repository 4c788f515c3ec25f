package dev.muster.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.TestDatabases;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A fresh, migrated database. By default it is on an embedded PostgreSQL that this JVM starts once and that ends with the JVM. If
 * {@code MUSTER_TEST_DATABASE_URL} is set, it is a new database on that server.
 */
public final class TestDatabase implements AutoCloseable {
    static final int ALL_CLAIMS = 10_000;
    private static final String TEMPLATE = "muster_test";
    private static final String SERVER_VARIABLE = "MUSTER_TEST_DATABASE_URL";
    /** Longer than the server lets a node's transaction rest. */
    private static final Duration WRITERS_PATIENCE = Duration.ofSeconds(20);

    private final String url;
    private final HikariDataSource pool;
    private final Runnable drop;

    private TestDatabase(String url, Runnable drop) {
        this.url = url;
        this.drop = drop;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setPoolName("test");
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        // Otherwise the pool opens a connection for a try, and closes it: a sixth of what a database costs.
        config.setInitializationFailTimeout(-1);
        this.pool = new HikariDataSource(config);
    }

    /** Creates a database on the server that the environment selects; see the class description. */
    public static TestDatabase fromEnv() {
        return from(System.getenv());
    }

    /** The same without Muster's tables, which the program under test creates itself. */
    public static TestDatabase emptyFromEnv() {
        String server = System.getenv(SERVER_VARIABLE);
        if (server != null) {
            return onServer(server, url -> {});
        }
        String url = Embedded.EMPTY.create();
        return new TestDatabase(url, () -> Embedded.EMPTY.drop(url));
    }

    static TestDatabase from(Map<String, String> environment) {
        String server = environment.get(SERVER_VARIABLE);
        return server == null ? embedded() : onServer(server, TestDatabase::migrate);
    }

    private static TestDatabase embedded() {
        String url = Embedded.DATABASES.create();
        return new TestDatabase(url, () -> Embedded.DATABASES.drop(url));
    }

    /** Starts the server when it is first needed. */
    private static final class Embedded {
        static final TestDatabases DATABASES = migrated();

        static final TestDatabases EMPTY = new TestDatabases(EmbeddedPostgres.shared(), "muster_empty", url -> {});

        private static TestDatabases migrated() {
            String version = provider().tablesVersion();
            return version.isEmpty()
                    ? new TestDatabases(EmbeddedPostgres.shared(), TEMPLATE, TestDatabase::migrate)
                    : TestDatabases.onSharedServer(TEMPLATE, version, TestDatabase::migrate);
        }
    }

    private static TestDatabase onServer(String server, Consumer<String> prepare) {
        String name = "muster_test_" + UUID.randomUUID().toString().replace("-", "");
        run(server, "CREATE DATABASE " + name);
        String url = server.replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1" + name);
        prepare.accept(url);
        return new TestDatabase(url, () -> run(server, "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"));
    }

    private static void migrate(String url) {
        try (Muster muster =
                Muster.builder().config(MusterConfig.defaults()).database(url).build()) {
            muster.migrate();
        }
    }

    private static void run(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(SERVER_VARIABLE + " points to a server that refused \"" + sql + "\"", e);
        }
    }

    public String url() {
        return url;
    }

    public DataSource dataSource() {
        return pool;
    }

    /** Runs a statement. */
    public void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** The first column of a query, as text. */
    public List<String> column(String sql) {
        List<String> values = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
        return values;
    }

    /** The single number that a query returns. */
    public long number(String sql) {
        return Long.parseLong(column(sql).get(0));
    }

    /**
     * Lets time pass: moves this database's clock ahead, takes back the claims whose leases have ended by then, and wakes the nodes. So
     * a test need not wait until the lease of a dead node ends, and can give its nodes leases that a busy machine does not break.
     *
     * <p>This is for nodes that the test starts itself, in this JVM or in others. For the nodes of a {@link Cluster} use its clock.
     *
     * @param healthyNodes the ids of the nodes that would have sent heartbeats and renewed their leases meanwhile
     */
    public synchronized void passTime(Duration by, Collection<String> healthyNodes) {
        MusterConfig config = MusterConfig.defaults();
        DatabaseClock clock = new DatabaseClock(pool, config.database().schema());
        clock.advance(by, healthyNodes, WRITERS_PATIENCE);
        try (Store store = openStore(config)) {
            store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, ALL_CLAIMS, true));
        }
        clock.wakeNodes();
    }

    /**
     * A clock for a node that the test or the application under test starts itself: give it to {@code Muster.builder().clock(…)}. When the
     * test moves it, the clocks of this database and of the node move together. In a test with a Spring context it is a bean.
     *
     * @param muster returns the Muster that was built with the clock; asked whenever the clock is moved
     */
    public FakeClock clockOf(Supplier<Muster> muster) {
        return FakeClock.moving(this, muster);
    }

    /** @throws IllegalStateException if the clock is not that of the Muster, or the Muster does not use this database */
    void requireClockOf(Muster muster, FakeClock clock) {
        if (muster.api(NodeContext.class).clock() != clock) {
            throw new IllegalStateException(
                    "time cannot be moved: the Muster under test has another clock. Give this FakeClock to"
                            + " Muster.builder().clock(…), and no other one in a MusterCustomizer");
        }
        String here;
        String there;
        try (Connection own = pool.getConnection();
                Connection used = muster.api(NodeContext.class).connection()) {
            here = identity(own);
            there = identity(used);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "time cannot be moved: the databases cannot be compared: " + e.getMessage(), e);
        }
        if (!here.equals(there)) {
            throw new IllegalStateException("time cannot be moved: Muster uses the database " + there
                    + ", and the test kit moves only the clock of its own, " + here
                    + ". Let the DataSource that Muster uses lead to TestDatabase.url(), as spring.datasource.url does in a test with"
                    + " @MusterTest, or test without moving time");
        }
        String schema = muster.api(NodeContext.class).config().database().schema();
        if (column("SELECT to_regclass('" + schema + ".muster_nodes')").contains(null)) {
            throw new IllegalStateException(
                    "time cannot be moved: the database has no tables of Muster yet. The node creates them when"
                            + " it starts; if it does not start by itself, because of muster.auto-startup=false for example, call"
                            + " muster.migrate() first");
        }
    }

    /** Differs between databases, also between those of the same name on two servers. */
    private static String identity(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_database() || ' of the server that started at ' || pg_postmaster_start_time()")) {
            row.next();
            return row.getString(1);
        }
    }

    Store openStore(MusterConfig config) {
        return provider().open(pool, config);
    }

    private static StoreProvider provider() {
        return ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
    }

    /** How many connections of {@link #dataSource()} are still open after a short wait. */
    int openConnections() {
        Waiting.until(Duration.ofMillis(200), () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    /** Drops the database. */
    @Override
    public void close() {
        pool.close();
        drop.run();
    }
}
