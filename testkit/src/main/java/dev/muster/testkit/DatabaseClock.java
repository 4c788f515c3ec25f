package dev.muster.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The clock of a test's database. It is moved by replacing Muster's two clock functions. */
final class DatabaseClock {
    private static final String REPLACE = """
            CREATE OR REPLACE FUNCTION %1$s.muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
              AS 'SELECT pg_catalog.clock_timestamp() + interval ''%2$s''';
            CREATE OR REPLACE FUNCTION %1$s.muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
              AS 'SELECT pg_catalog.statement_timestamp() + interval ''%2$s''';
            SELECT %1$s.muster_prepare_history(7)""";
    private static final String WAKE = "SELECT pg_notify('muster_%1$s', '')";
    private static final String LOCK = """
            SET LOCAL lock_timeout = '100ms';
            LOCK TABLE %1$s.muster_nodes, %1$s.muster_jobs, %1$s.muster_claims, %1$s.muster_leaders, %1$s.muster_daemons
              IN SHARE ROW EXCLUSIVE MODE;
            SET LOCAL lock_timeout = 0""";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String OFFSET =
            "SELECT (date_part('epoch', %1$s.muster_statement_clock() - pg_catalog.statement_timestamp()) * 1e6)::bigint";
    private static final String RENEW = """
            UPDATE %1$s.muster_jobs SET lease_until = lease_until + ?::interval
            WHERE id IN (SELECT id FROM %1$s.muster_jobs WHERE node_id = ANY (?) AND lease_until IS NOT NULL
                         FOR UPDATE SKIP LOCKED)""";
    private static final String RENEW_NOTES = """
            UPDATE %1$s.muster_claims SET lease_until = lease_until + ?::interval
            WHERE ctid = ANY (ARRAY (SELECT ctid FROM %1$s.muster_claims WHERE node_id = ANY (?) FOR UPDATE SKIP LOCKED))""";
    private static final String RENEW_LEADERS = """
            UPDATE %1$s.muster_leaders SET expires_at = expires_at + ?::interval WHERE node_id = ANY (?)""";
    private static final String HEARTBEATS = """
            UPDATE %1$s.muster_nodes SET last_heartbeat = last_heartbeat + ?::interval WHERE id = ANY (?)""";
    private static final String RENEW_DAEMONS = """
            UPDATE %1$s.muster_daemons SET lease_until = lease_until + ?::interval
            WHERE node_id = ANY (?) AND lease_until IS NOT NULL""";

    private final DataSource dataSource;
    private final String schema;

    DatabaseClock(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * Moves the clock ahead.
     *
     * @param renewing healthy nodes, which would have sent heartbeats and renewed their leases meanwhile
     * @param patience how long to wait for transactions that read the clock before and have not ended. If they last longer, what they
     *     write seems to be as old as the clock was moved by
     */
    synchronized void advance(Duration by, Collection<String> renewing, Duration patience) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                awaitWriters(connection, statement, patience);
                statement.execute(
                        REPLACE.formatted(schema, interval(offset(statement).plus(by))));
                renew(connection, HEARTBEATS, by, renewing);
                renew(connection, RENEW, by, renewing);
                renew(connection, RENEW_NOTES, by, renewing);
                renew(connection, RENEW_LEADERS, by, renewing);
                renew(connection, RENEW_DAEMONS, by, renewing);
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database's clock could not be moved: " + e.getMessage(), e);
        }
    }

    /**
     * Nobody writes a lease or a heartbeat between here and the commit. The wait for the locks is shorter than that after which the
     * server looks for deadlocks, so no node ever loses its transaction to this one.
     */
    private void awaitWriters(Connection connection, Statement statement, Duration patience) throws SQLException {
        long begin = System.nanoTime();
        while (true) {
            try {
                statement.execute(LOCK.formatted(schema));
                return;
            } catch (SQLException e) {
                connection.rollback();
                if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                    throw e;
                }
                if (System.nanoTime() - begin > patience.toNanos()) {
                    return;
                }
            }
        }
    }

    /** Has the nodes look for jobs that have become due. */
    void wakeNodes() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(WAKE.formatted(schema));
        } catch (SQLException e) {
            throw new IllegalStateException("the nodes could not be woken: " + e.getMessage(), e);
        }
    }

    /** How far this clock is ahead of the server's own clock. */
    private Duration offset(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery(OFFSET.formatted(schema))) {
            rows.next();
            return Duration.of(rows.getLong(1), ChronoUnit.MICROS);
        }
    }

    private void renew(Connection connection, String sql, Duration by, Collection<String> renewing)
            throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(sql.formatted(schema))) {
            renew.setString(1, interval(by));
            renew.setArray(2, connection.createArrayOf("text", renewing.toArray()));
            renew.executeUpdate();
        }
    }

    private static String interval(Duration duration) {
        // In one number: a duration before zero has a negative part of seconds and a positive one of nanoseconds.
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos()) + " microseconds";
    }

    Instant now() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT " + schema + ".muster_clock()")) {
            rows.next();
            return rows.getObject(1, java.time.OffsetDateTime.class).toInstant();
        } catch (SQLException e) {
            throw new IllegalStateException("the database's clock could not be read: " + e.getMessage(), e);
        }
    }
}
