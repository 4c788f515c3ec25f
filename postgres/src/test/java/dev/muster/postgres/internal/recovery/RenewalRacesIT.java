package dev.muster.postgres.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lease is renewed while its job is being taken back, held in the moment that decides. */
class RenewalRacesIT {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final String GATE = "4711";

    /** The statement that takes jobs back has seen the old lease, and has not locked the job yet. */
    @Test
    void aJobWhoseLeaseIsRenewedMeanwhileIsNotTakenBack() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            store.claims().prepareHistory();
            store.jobs().enqueue(List.of(JobDraft.plain("a")));
            ClaimSession session = store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, LEASE));
            ClaimedJob job = session.exchange(List.of(), 1).claimed().get(0);
            database.advance(LEASE.plusMinutes(1));
            try (Connection gate = database.connection()) {
                closeGate(database, gate);
                CompletableFuture<Boolean> takenBack = CompletableFuture.supplyAsync(
                        () -> takeBack(database, job.id().toString()));
                await().until(() -> takenBack.isDone() || waits(database));
                assertThat(store.claims().renew(List.of(job.claim()), LEASE).skipped())
                        .isEmpty();
                execute(gate, "SELECT pg_advisory_unlock(" + GATE + ")");
                assertThat(takenBack.join()).isFalse();
            }
            assertThat(store.jobReader().find(job.id()).orElseThrow().status()).isEqualTo(JobStatus.CLAIMED);
        }
    }

    /** From now on sessions that go through the gate wait when they read the time of a statement, which has its snapshot by then. */
    private static void closeGate(FreshDatabase database, Connection gate) throws SQLException {
        execute(gate, "SELECT pg_advisory_lock(" + GATE + ")");
        String now = database.column("SELECT muster_statement_clock()").get(0);
        database.execute(
                "CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$ BEGIN"
                        + " IF current_setting('test.gated', true) = 'on' THEN PERFORM pg_advisory_xact_lock_shared("
                        + GATE
                        + "); END IF; RETURN timestamptz '" + now + "'; END $$");
    }

    private static boolean takeBack(FreshDatabase database, String job) {
        long note = database.number("SELECT number FROM muster_claims");
        try (Connection connection = database.transaction();
                PreparedStatement statement =
                        connection.prepareStatement(new SqlFiles("public").get("jobs/requeue_expired"))) {
            execute(connection, "SET LOCAL test.gated = 'on'");
            statement.setNull(1, Types.BIGINT);
            statement.setArray(2, connection.createArrayOf("text", new Object[] {"n"}));
            statement.setArray(3, connection.createArrayOf("bigint", new Object[] {note}));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getString("id").equals(job);
            } finally {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean waits(FreshDatabase database) {
        return database.number(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = " + GATE
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT granted")
                == 1;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
