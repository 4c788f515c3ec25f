package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.schedule.CronStore;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Whatever a host's database, role or pool has set: commits are durable, and no transaction waits or runs for long. */
class TransactionLimitsIT extends HostDatabase {
    /** What is in force when a transaction commits, by a trigger that fires at the commit. */
    private void recordSettings(String table, String event) {
        database.execute("CREATE TABLE IF NOT EXISTS at_commit (what text, durable text, statement text, waits text)");
        database.execute("CREATE OR REPLACE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO public.at_commit VALUES (TG_OP || ' ' || TG_TABLE_NAME, current_setting('synchronous_commit'),"
                + " current_setting('statement_timeout'), current_setting('lock_timeout')); RETURN NULL; END $$");
        database.execute("CREATE CONSTRAINT TRIGGER at_commit AFTER " + event + " ON " + table
                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()");
    }

    @Test
    void whatIsAcknowledgedIsOnTheDiskWhateverTheRoleHasChosen() throws Exception {
        recordSettings("muster_jobs", "INSERT OR UPDATE OR DELETE");
        recordSettings("muster_claims", "INSERT");
        for (String level : List.of("off", "local")) {
            setForDatabase("synchronous_commit = '" + level + "'");
            commitsAreDurableAndLimited(database.store(), level);
            MusterConfig ownPool =
                    MusterConfig.defaults().with(Map.of("database.url", database.url(), "database.pool_size", "1"));
            try (PostgresStore store = PostgresStore.open(ownPool)) {
                commitsAreDurableAndLimited(store, level);
                for (int i = 0; i < 100; i++) {
                    store.jobs().enqueue(plain(1));
                }
                database.execute("TRUNCATE at_commit");
                commitsAreDurableAndLimited(store, level);
                for (int i = 0; i < 2; i++) {
                    try (Connection lent = store.connection()) {
                        assertThat(
                                        text(
                                                lent,
                                                "SELECT concat_ws(' ', current_setting('statement_timeout'),"
                                                        + " current_setting('lock_timeout'), current_setting('synchronous_commit'))"))
                                .as("others get connections without limits")
                                .isEqualTo("0 0 " + level);
                    }
                }
                commitsAreDurableAndLimited(store, level);
            }
        }
    }

    @Test
    void soIsWhatTheCodeOfUsersWritesInATransactionOfMuster() throws Exception {
        for (String level : List.of("off", "local")) {
            setForDatabase("synchronous_commit = '" + level + "'");
            try (PostgresStore store =
                    PostgresStore.open(MusterConfig.defaults().with(Map.of("database.url", database.url())))) {
                HandlerTransactions.Transaction transaction =
                        store.port(HandlerTransactions.class).begin(Connection.TRANSACTION_READ_COMMITTED, false, null);
                assertThat(text(transaction.connection(), "SHOW synchronous_commit"))
                        .isEqualTo(level.equals("off") ? "on" : level);
                transaction.commit();
            }
        }
    }

    private void commitsAreDurableAndLimited(PostgresStore store, String level) {
        store.jobs().enqueue(plain(1));
        store.jobs().enqueue(plain(60));
        store.jobs().enqueue(plain(200));
        store.jobs()
                .enqueue(List.of(JobDraft.named("a").delay(Duration.ofDays(1)).job()));
        store.jobs()
                .enqueue(List.of(
                        JobDraft.named("a").key(UUID.randomUUID().toString()).job()));
        ClaimSession session = store.claims().openClaims(filter("n"));
        ClaimRef claim = session.exchange(List.of(), 1).claimed().get(0).claim();
        store.claims().markRunning(List.of(new Start(claim, 1, 0, 0)));
        session.exchange(List.of(new Outcome.Completed(claim, null)), 1);

        assertThat(database.column("SELECT DISTINCT what || ' ' || durable FROM at_commit"))
                .as("where it is " + level)
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                "INSERT muster_jobs",
                                "UPDATE muster_jobs",
                                "DELETE muster_jobs",
                                "INSERT muster_claims")
                        .map(what -> what + (level.equals("off") ? " on" : " local"))
                        .toList());
        assertThat(database.column("SELECT what FROM at_commit WHERE statement = '0' OR waits = '0'"))
                .as("without a limit")
                .isEmpty();
        database.execute("TRUNCATE at_commit");
    }

    @Test
    void everyTransactionHasALevelAndLimits() {
        ConcurrentLinkedQueue<String> unlimited = new ConcurrentLinkedQueue<>();
        ThreadLocal<Boolean> begun = ThreadLocal.withInitial(() -> false);
        DataSource source = WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
            if (method.equals("setAutoCommit")) {
                begun.set(false);
            } else if (method.equals("prepareStatement") || method.equals("createStatement")) {
                boolean level = connection.getAutoCommit() || text.startsWith(Database.READ_COMMITTED);
                boolean ownLimits = text.contains("muster_probe_backlog");
                if (!begun.get() && !ownLimits && !(level && text.contains("lock_timeout"))) {
                    unlimited.add(text);
                }
                begun.set(true);
            }
        });
        PostgresStore store = store(source);
        store.pendingMigrations();
        // A connection is asked once which server it leads to.
        unlimited.clear();
        store.jobs().enqueue(plain(1));
        store.jobs().enqueue(plain(200));
        store.jobs().enqueue(List.of(JobDraft.named("a").key("k").job()));
        store.jobs().enqueue(List.of(JobDraft.named("a").id(JobId.next()).job()));
        store.jobReader().list(JobQuery.all());
        store.jobs().cancelAll(JobQuery.all());
        store.jobs().retryAll(JobQuery.all());
        store.claims().prepareHistory();
        store.jobReader().logs(JobId.next(), 0, 10);
        store.queues().list();
        store.port(LockStore.class).list();
        store.port(CronStore.class).list();
        store.port(DaemonStore.class).list();
        store.nodes().list();
        ClaimSession session = store.claims().openClaims(filter("n"));
        session.exchange(List.of(), 1);
        assertThat(unlimited).isEmpty();
        assertThat(database.column(
                        "SELECT proconfig::text FROM pg_proc WHERE proname LIKE 'muster\\_probe\\_backlog%'"))
                .isNotEmpty()
                .allSatisfy(limits -> assertThat(limits).contains("lock_timeout=10s"));
    }

    @Test
    void aDayIsNotPreparedBehindALockThatIsHeldForLong() throws Exception {
        UnaryOperator<String> shorter = sql -> sql.replace("'lock_timeout', '2s'", "'lock_timeout', '100ms'");
        assertThat(new SqlFiles("public", shorter).get("jobs/call_prepare_history"))
                .contains("'lock_timeout', '100ms'");
        PostgresStore store = database.store(shorter);
        database.execute("DO $$ BEGIN EXECUTE 'DROP TABLE muster_job_history_'"
                + " || to_char((now() AT TIME ZONE 'UTC')::date + 5, 'YYYYMMDD'); END $$");
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("LOCK TABLE muster_job_history IN SHARE UPDATE EXCLUSIVE MODE");
            assertThatThrownBy(store.claims()::prepareHistory).hasMessageContaining("55P03");
            other.rollback();
        }
        store.claims().prepareHistory();
    }

    @Test
    void aListThatIsNotAnsweredSaysWhatMayBeWrong() throws Exception {
        PostgresStore store = database.store(
                sql -> sql.replace("'statement_timeout', ?", "'statement_timeout', least('100ms', ?::text)"));
        store.jobs().enqueue(plain(1));
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("LOCK TABLE muster_jobs IN ACCESS EXCLUSIVE MODE");
            assertThatThrownBy(() -> store.jobReader().list(JobQuery.all().name("nobody")))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("did not answer within 5 s");
            other.rollback();
        }
    }

    @Test
    void manyThousandsAreCancelledBatchByBatch() {
        PostgresStore store = database.store();
        store.jobs().enqueue(plain(3_500));
        store.jobs().enqueue(List.of(JobDraft.plain("other")));
        assertThat(store.jobs().cancelAll(JobQuery.all().name("a")).cancelled()).isEqualTo(3_500);
        assertThat(database.column("SELECT name FROM muster_jobs")).containsExactly("other");
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE status = 'cancelled'"))
                .isEqualTo(3_500);
    }
}
