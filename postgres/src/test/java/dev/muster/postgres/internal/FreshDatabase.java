package dev.muster.postgres.internal;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.TestDatabases;
import dev.muster.postgres.internal.recovery.SweepFloors;
import dev.muster.postgres.internal.schema.Migrations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.postgresql.ds.PGSimpleDataSource;

/** A migrated database of its own for each test, copied from a template. */
public final class FreshDatabase implements AutoCloseable {
    private static final TestDatabases TEMPLATES =
            TestDatabases.onSharedServer("muster_store", Migrations.fingerprint(), FreshDatabase::migrate);

    private final String url;
    private final HikariDataSource pool;
    private boolean clockStopped;

    public FreshDatabase() {
        this(20);
    }

    public FreshDatabase(int poolSize) {
        this.url = TEMPLATES.create();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(poolSize);
        config.setMinimumIdle(0);
        // Otherwise the pool opens a connection for a try, and closes it: a sixth of what a database costs.
        config.setInitializationFailTimeout(-1);
        this.pool = new HikariDataSource(config);
    }

    private static void migrate(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        try (PostgresStore store = new PostgresStore(source, MusterConfig.defaults())) {
            store.migrateUp();
        }
    }

    public String url() {
        return url;
    }

    public HikariDataSource dataSource() {
        return pool;
    }

    public PostgresStore store() {
        return new PostgresStore(pool, MusterConfig.defaults());
    }

    /** @param change applied to every statement, for example to shorten a time limit */
    public PostgresStore store(UnaryOperator<String> change) {
        return new PostgresStore(pool, MusterConfig.defaults(), change);
    }

    /** From where on this store looks for what is overdue. */
    public static SweepFloors floors(PostgresStore store) {
        return store.floors();
    }

    public Connection connection() throws SQLException {
        return pool.getConnection();
    }

    public Connection transaction() throws SQLException {
        Connection connection = connection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Moves the clock by which Muster's statements decide. */
    public void advance(Duration by) {
        if (clockStopped) {
            stopClockAt("muster_clock() + interval '" + by.toMillis() + " milliseconds'");
            return;
        }
        String ahead = column("SELECT (date_part('epoch', muster_clock() - pg_catalog.clock_timestamp()) + "
                        + by.toMillis() / 1_000.0 + ")::numeric(20, 6)")
                .get(0);
        execute("CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS"
                + " 'SELECT pg_catalog.clock_timestamp() + interval ''" + ahead + " seconds'''");
        execute(
                "CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
                        + " AS 'SELECT pg_catalog.statement_timestamp() + interval ''" + ahead + " seconds'''");
    }

    /** Stops the clock by which Muster's statements decide, so that a test may take as long as it likes. */
    public void stopClock() {
        clockStopped = true;
        stopClockAt("muster_clock()");
    }

    private void stopClockAt(String time) {
        String now = column("SELECT " + time).get(0);
        for (String function : List.of("muster_clock", "muster_statement_clock")) {
            execute("CREATE OR REPLACE FUNCTION " + function
                    + "() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT timestamptz '" + now
                    + "' $$");
        }
    }

    /**
     * Waits until every transaction has ended that is open now and writes, in whatever database of the server: floors rise no further
     * than the oldest of them.
     */
    public void awaitOlderTransactions() {
        long mine = number("SELECT pg_current_xact_id()");
        await().atMost(Duration.ofMinutes(4))
                .until(() -> number("SELECT pg_snapshot_xmin(pg_current_snapshot())") > mine);
    }

    public void execute(String sql) {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    public long number(String sql) {
        return Long.parseLong(column(sql).get(0));
    }

    public List<String> column(String sql) {
        List<String> values = new ArrayList<>();
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return values;
    }

    @Override
    public void close() {
        pool.close();
        TEMPLATES.drop(url);
    }
}
