package dev.muster.postgres.internal;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.muster.config.DatabaseConfig;
import dev.muster.postgres.PrimaryDataSource;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The only class that creates connections from {@code database.url}: for nodes, for commands, and for the applications that a
 * node runs. All of them respect the profile and follow the primary; see {@link PrimaryDataSource}.
 */
public final class PostgresConnections {
    private static final int READ_POOL_SIZE = 4;
    private static final int WAIT_MS = 10_000;
    private static final int VALIDATION_MS = 3_000;
    private static final int IDLE_MS = 30_000;

    private final PrimaryDataSource source;

    /** @throws MusterException if PostgreSQL's driver does not accept the URL */
    public PostgresConnections(String url, DatabaseConfig config) {
        this.source = PrimaryDataSource.of(url, config);
    }

    private PostgresConnections(PrimaryDataSource source) {
        this.source = source;
    }

    /**
     * Connections to the server that {@code database.read_url} names, which may be a standby.
     *
     * @throws MusterException if PostgreSQL's driver does not accept the URL
     */
    public static PostgresConnections ofReplica(String url, DatabaseConfig config) {
        return new PostgresConnections(PrimaryDataSource.ofReplica(url, config));
    }

    /**
     * The pool of a node. It uses no type of HikariCP, because programs with their own DataSource need not have it.
     *
     * @param evictIdle makes the pool drop idle connections, which may lead to an old server
     */
    record NodePool(DataSource dataSource, Runnable evictIdle, Runnable close) {}

    NodePool nodePool(int size) {
        HikariDataSource pool = pool("muster", size);
        return new NodePool(pool, () -> pool.getHikariPoolMXBean().softEvictConnections(), pool::close);
    }

    /** The small pool through which people read on the server that {@code database.read_url} names. */
    NodePool readPool() {
        HikariDataSource pool = pool("muster-read", READ_POOL_SIZE);
        return new NodePool(pool, () -> pool.getHikariPoolMXBean().softEvictConnections(), pool::close);
    }

    /** The source of connections outside any pool. */
    DataSource source() {
        return source;
    }

    /** The servers and the database that the URL names. */
    public String address() {
        return source.address();
    }

    /** A connection outside of any pool. */
    public Connection connect() throws SQLException {
        return source.getConnection();
    }

    /** A pool that opens connections when they are needed and closes them when they are not. */
    public HikariDataSource pool(String name, int size) {
        HikariConfig hikari = new HikariConfig();
        hikari.setDataSource(source);
        hikari.setPoolName(name);
        hikari.setMaximumPoolSize(size);
        hikari.setMinimumIdle(0);
        hikari.setIdleTimeout(IDLE_MS);
        hikari.setConnectionTimeout(WAIT_MS);
        hikari.setValidationTimeout(VALIDATION_MS);
        hikari.setInitializationFailTimeout(-1);
        hikari.setExceptionOverride(new LeaveWhatTakesNoWrites());
        return new HikariDataSource(hikari);
    }

    /** A connection that refused a write leads to a standby or a read-only session, and would refuse the next write too. */
    private static final class LeaveWhatTakesNoWrites implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException e) {
            return SqlStates.takesNoWrites(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
    }
}
