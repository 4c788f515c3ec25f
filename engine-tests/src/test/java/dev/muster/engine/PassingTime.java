package dev.muster.engine;

import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;

/** Time that passes for a test's database at once, so that leases end without anybody waiting for them. */
final class PassingTime {
    private static final String MOVE = """
            DO $do$
            DECLARE
              ahead text := extract(epoch FROM muster_statement_clock() - pg_catalog.statement_timestamp()) + %d / 1000.0 || ' seconds';
            BEGIN
              EXECUTE format($$CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
                AS $body$ SELECT pg_catalog.clock_timestamp() + interval %%L $body$ $$, ahead);
              EXECUTE format($$CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
                AS $body$ SELECT pg_catalog.statement_timestamp() + interval %%L $body$ $$, ahead);
            END
            $do$""";
    private static final List<String> RENEW = List.of(
            "UPDATE muster_nodes SET last_heartbeat = last_heartbeat + ?::interval WHERE id = ANY (?)",
            "UPDATE muster_jobs SET lease_until = lease_until + ?::interval WHERE id IN (SELECT id FROM muster_jobs"
                    + " WHERE node_id = ANY (?) AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED)",
            "UPDATE muster_claims SET lease_until = lease_until + ?::interval WHERE ctid = ANY (ARRAY (SELECT ctid"
                    + " FROM muster_claims WHERE node_id = ANY (?) FOR UPDATE SKIP LOCKED))",
            "UPDATE muster_leaders SET expires_at = expires_at + ?::interval WHERE node_id = ANY (?)",
            "UPDATE muster_daemons SET lease_until = lease_until + ?::interval WHERE node_id = ANY (?)"
                    + " AND lease_until IS NOT NULL");

    private PassingTime() {}

    /** @param healthy nodes that would have sent heartbeats and renewed their leases meanwhile */
    static void on(TestDatabase database, Collection<String> healthy, Duration by) {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(MOVE.formatted(by.toMillis()));
                for (String sql : RENEW) {
                    renew(connection, sql, healthy, by);
                }
                statement.execute("SELECT pg_notify('muster_public', '')");
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("no time has passed: " + e.getMessage(), e);
        }
        StoreProvider provider =
                ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
        try (Store store = provider.open(database.dataSource(), MusterConfig.defaults())) {
            store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10_000, true));
        }
    }

    private static void renew(Connection connection, String sql, Collection<String> healthy, Duration by)
            throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(sql)) {
            renew.setString(1, by.toMillis() + " milliseconds");
            renew.setArray(2, connection.createArrayOf("text", healthy.toArray()));
            renew.executeUpdate();
        }
    }
}
