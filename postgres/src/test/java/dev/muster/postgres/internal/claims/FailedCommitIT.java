package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.WatchedConnections.Before;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Exchanges that fail at their commit or just after it, or of whose commit nobody hears. */
class FailedCommitIT extends OnFreshDatabase {
    /** Passes with each exchange. After as many as a test makes, much less time has passed than until the next look from the beginning. */
    private static final long BETWEEN_EXCHANGES = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int SOON = 500;

    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));

    private static ClaimFilter filter() {
        return new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(5));
    }

    /** Older than scans go back by themselves. */
    private void backlog(int jobs) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'j', 'default', 50, 50, 'pending', t, t, t, '{}' FROM"
                        + " (SELECT now() - interval '10 minutes' + i * interval '1 millisecond' AS t FROM generate_series(1, "
                        + jobs + ") i) s");
    }

    private void atCommit(String body) {
        database.execute("CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body
                + " RETURN NULL; END $$");
        database.execute("CREATE CONSTRAINT TRIGGER late AFTER INSERT ON muster_claims DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION at_commit()");
    }

    private Set<String> firstPending(int count) {
        return new HashSet<>(database.column(
                "SELECT id FROM muster_jobs WHERE status = 'pending' ORDER BY ready_at LIMIT " + count));
    }

    private ClaimSession session() {
        Database real = new Database(database.dataSource(), new SqlFiles("public"));
        return new ClaimSessions(real, new HeldClaims(), List.of(), filter(), nanos::get);
    }

    private List<ClaimedJob> claim(ClaimSession session) {
        nanos.addAndGet(BETWEEN_EXCHANGES);
        return session.exchange(List.of(), 20).claimed();
    }

    private void assertClaimedSoon(ClaimSession session, Set<String> jobs) {
        Set<String> left = new HashSet<>(jobs);
        for (int i = 0; i < SOON && !left.isEmpty(); i++) {
            claim(session).forEach(job -> left.remove(job.id().toString()));
        }
        assertThat(left).isEmpty();
    }

    /** Commits that wait for this lock of the test's, however long it is held. */
    private static String awaitLock(int number) {
        return "PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock(" + number + ");";
    }

    private static void lock(Connection holder, int number) throws SQLException {
        try (Statement statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(" + number + ")");
        }
    }

    private static void unlock(Connection holder, int number) throws SQLException {
        try (Statement statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock(" + number + ")");
        }
    }

    private void awaitBlocked(int sessions) {
        await().until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
                        + " AND datname = current_database()")
                == sessions);
    }

    @Test
    void whatAFailedClaimHadLockedComesNext() {
        backlog(20_000);
        ClaimSession session = session();
        atCommit("IF cardinality(NEW.ids) = 37 THEN RAISE EXCEPTION 'not at the commit'; END IF;");
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 150; i++) {
                claim(session);
            }
            Set<String> held = firstPending(37);
            assertThatThrownBy(() -> session.exchange(List.of(), 37)).hasMessageContaining("not at the commit");
            assertClaimedSoon(session, held);
        }
    }

    @Test
    void aClaimThatFailsForgetsNoNote() {
        PostgresStore store = database.store();
        ClaimSession session = store.claims().openClaims(filter());
        store.jobs().enqueue(List.of(JobDraft.plain("first")));
        ClaimedJob first = session.exchange(List.of(), 1).claimed().get(0);
        session.exchange(List.of(new Outcome.Completed(first.claim(), null)), 0);
        store.jobs().enqueue(List.of(JobDraft.plain("second")));
        atCommit("RAISE EXCEPTION 'not at the commit';");
        assertThatThrownBy(() -> session.exchange(List.of(), 1)).hasMessageContaining("not at the commit");
        database.execute("DROP TRIGGER late ON muster_claims");

        assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
        assertThat(database.number("SELECT count(*) FROM muster_claims"))
                .as("the note of the first job was to go with the claim that failed")
                .isEqualTo(1);
    }

    /** Both start at the same cursor; the one that fails goes back first, the other must not rise over it. */
    @Test
    void whatAFailedClaimHadLockedIsNotPassedByByTheOtherPump() throws Exception {
        backlog(10_000);
        ClaimSession session = session();
        atCommit("IF cardinality(NEW.ids) = 37 THEN " + awaitLock(37) + " RAISE EXCEPTION 'not at the commit'; END IF;"
                + " IF cardinality(NEW.ids) = 38 THEN " + awaitLock(38) + " END IF;");
        session.exchange(List.of(), 100);
        Set<String> held = firstPending(37);
        try (Connection holder = database.connection()) {
            lock(holder, 37);
            lock(holder, 38);
            CompletableFuture<Void> fails = inThread(() -> session.exchange(List.of(), 37));
            awaitBlocked(1);
            CompletableFuture<Void> succeeds = inThread(() -> session.exchange(List.of(), 38));
            awaitBlocked(2);
            unlock(holder, 37);
            assertThatThrownBy(fails::join).hasStackTraceContaining("not at the commit");
            unlock(holder, 38);
            succeeds.join();
        }
        assertClaimedSoon(session, held);
    }

    /** Memory runs out while the answer to a commit is read. */
    @Test
    void anErrorAtTheCommitLeavesTheNodeInDoubt() {
        AtomicBoolean armed = new AtomicBoolean();
        Database faulty = watched((connection, method, text) -> {
            if (method.equals("commit") && armed.compareAndSet(true, false)) {
                connection.commit();
                throw new OutOfMemoryError("for a test");
            }
        });
        PostgresStore store = database.store();
        ClaimSession session = new ClaimSessions(faulty, new HeldClaims(), List.of(), filter(), System::nanoTime);
        store.jobs().enqueue(List.of(JobDraft.plain("a")));
        session.probeBacklog();
        armed.set(true);
        assertThatThrownBy(() -> session.exchange(List.of(), 1)).isInstanceOf(OutOfMemoryError.class);
        assertThat(session.inDoubt()).isTrue();
        session.releaseUnknown(List.of());
        assertThat(database.column("SELECT status FROM muster_jobs")).containsExactly("pending");
    }

    /** The connection is gone while the server is still at the commit, and gets through with it later. */
    @Test
    void aCommitThatComesAfterTheQuestionIsFoundByTheNext() throws SQLException {
        PostgresStore store = database.store();
        AtomicBoolean armed = new AtomicBoolean();
        AtomicLong later = new AtomicLong();
        atCommit(awaitLock(1));
        Database impatient = watched((connection, method, text) -> {
            if (method.equals("commit") && armed.compareAndSet(true, false)) {
                // What a socket timeout does, sooner.
                connection.setNetworkTimeout(Runnable::run, 300);
            }
        });
        ClaimSession session = new ClaimSessions(impatient, new HeldClaims(), List.of(), filter(), later::get);
        store.jobs().enqueue(List.of(JobDraft.plain("a")));
        session.probeBacklog();
        armed.set(true);
        try (Connection holder = database.connection()) {
            lock(holder, 1);
            assertThatThrownBy(() -> session.exchange(List.of(), 1)).isInstanceOf(RuntimeException.class);
            awaitBlocked(1);
            assertThat(session.inDoubt()).isTrue();
            session.releaseUnknown(List.of());
            assertThat(session.inDoubt()).as("asked a moment ago").isFalse();
            unlock(holder, 1);
        }

        await().until(() -> database.column("SELECT status FROM muster_jobs").contains("claimed"));
        later.addAndGet(TimeUnit.SECONDS.toNanos(6));
        assertThat(session.inDoubt()).isTrue();
        session.releaseUnknown(List.of());
        assertThat(database.column("SELECT status FROM muster_jobs")).containsExactly("pending");

        later.addAndGet(TimeUnit.MINUTES.toNanos(1));
        session.releaseUnknown(List.of());
        later.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertThat(session.inDoubt()).as("by now it cannot come any more").isFalse();
    }

    @Test
    void outcomesOfWhichNothingIsKnownAreSentAgain() {
        AtomicBoolean broken = new AtomicBoolean();
        DataSource source = WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
            if (broken.get() && method.equals("prepareStatement") && text.contains("h.token = o.token")) {
                throw new SQLException("the connection broke", "08006");
            }
        });
        try (PostgresStore store = new PostgresStore(source, MusterConfig.defaults())) {
            ClaimSession session = store.claims().openClaims(filter());
            store.jobs().enqueue(List.of(JobDraft.plain("kept"), JobDraft.plain("lost")));
            List<ClaimedJob> claimed = session.exchange(List.of(), 2).claimed();
            database.execute("UPDATE muster_jobs SET token = token + 1000 WHERE name = 'lost'");
            List<Outcome> outcomes = claimed.stream()
                    .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                    .toList();
            store.jobs().enqueue(List.of(JobDraft.plain("next")));

            broken.set(true);
            Exchange exchange = session.exchange(outcomes, 1);
            assertThat(exchange.claimed()).as("is committed").hasSize(1);
            assertThat(exchange.rejected()).as("nobody knows").isEmpty();
            assertThat(exchange.deferred()).containsExactlyInAnyOrderElementsOf(outcomes);

            broken.set(false);
            Exchange again = session.exchange(exchange.deferred(), 0);
            assertThat(again.deferred()).isEmpty();
            assertThat(again.rejected())
                    .singleElement()
                    .satisfies(lost -> assertThat(claimed)
                            .filteredOn(job -> job.claim().equals(lost))
                            .extracting(ClaimedJob::name)
                            .containsExactly("lost"));
        }
    }

    private static CompletableFuture<Void> inThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task).start());
    }

    private Database watched(Before before) {
        return new Database(WatchedConnections.of(database.dataSource(), before), new SqlFiles("public"));
    }
}
