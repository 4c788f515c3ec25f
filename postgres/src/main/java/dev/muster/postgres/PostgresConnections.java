package dev.muster.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.muster.config.DatabaseConfig;
import dev.muster.postgres.db.SqlStates;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The one place that makes connections from {@code database.url}: for nodes, for commands, and for the applications that
 * a node runs. All of them follow the profile and the primary; see {@link PrimaryDataSource}.
 */
public final class PostgresConnections {
    private static final int WAIT_MS = 10_000;
    private static final int VALIDATION_MS = 3_000;
    private static final int IDLE_MS = 30_000;

    private final PrimaryDataSource source;

    /** @throws MusterException if the URL is none of PostgreSQL's driver */
    public PostgresConnections(String url, DatabaseConfig config) {
        this.source = PrimaryDataSource.of(url, config);
    }

    /**
     * The pool of a node, without a type of HikariCP's: hosts that bring a DataSource of their own need not have it.
     *
     * @param evictIdle makes the pool forget connections that may lead to a server of the past
     */
    record NodePool(DataSource dataSource, Runnable evictIdle, Runnable close) {}

    NodePool nodePool(int size) {
        HikariDataSource pool = pool("muster", size);
        return new NodePool(pool, () -> pool.getHikariPoolMXBean().softEvictConnections(), pool::close);
    }

    /** Where connections outside of any pool come from. */
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

    /** A connection that refused a write leads to a standby, or its session is read-only: it would refuse the next, too. */
    private static final class LeaveWhatTakesNoWrites implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException e) {
            return SqlStates.takesNoWrites(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
    }
}
