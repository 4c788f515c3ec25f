package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.JobDraft;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.ClaimedJob;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Claims that fail at their commit, or of whose commit nobody hears. */
class CommitIT {
    private static final long LOOK_SECONDS = 9;

    private final FreshDatabase database = new FreshDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    private static ClaimScope scope() {
        return new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(5));
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

    /** A look would find them in the end: claims have to be sooner. */
    private static void assertClaimedSoon(ClaimSession session, Set<String> jobs) {
        Set<String> left = new HashSet<>(jobs);
        await().atMost(LOOK_SECONDS - 4, TimeUnit.SECONDS)
                .pollInterval(2, TimeUnit.MILLISECONDS)
                .until(() -> {
                    for (ClaimedJob job : session.exchange(List.of(), 20).claimed()) {
                        left.remove(job.id().toString());
                    }
                    return left.isEmpty();
                });
    }

    @Test
    void whatAFailedClaimHadLockedComesNext() {
        backlog(60_000);
        ClaimSession session = database.jobs().openClaims(scope());
        atCommit("IF cardinality(NEW.ids) = 37 THEN RAISE EXCEPTION 'not at the commit'; END IF;");
        for (int round = 0; round < 3; round++) {
            long settled = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
            while (System.nanoTime() < settled) {
                session.exchange(List.of(), 20);
            }
            Set<String> held = firstPending(37);
            assertThatThrownBy(() -> session.exchange(List.of(), 37)).hasMessageContaining("not at the commit");
            assertClaimedSoon(session, held);
        }
    }

    /** Both start at the same cursor; the one that fails goes back first, the other must not rise over it. */
    @Test
    void whatAFailedClaimHadLockedIsNotPassedByByTheOtherPump() throws Exception {
        backlog(10_000);
        ClaimSession session = database.jobs().openClaims(scope());
        atCommit("IF cardinality(NEW.ids) = 37 THEN PERFORM pg_sleep(0.5); RAISE EXCEPTION 'not at the commit'; END IF;"
                + " IF cardinality(NEW.ids) = 38 THEN PERFORM pg_sleep(0.8); END IF;");
        session.exchange(List.of(), 100);
        Set<String> held = firstPending(37);
        CompletableFuture<Void> fails = inThread(() -> session.exchange(List.of(), 37));
        await().until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                        + " AND datname = current_database()")
                > 0);
        CompletableFuture<Void> succeeds = inThread(() -> session.exchange(List.of(), 38));
        assertThatThrownBy(fails::join).hasStackTraceContaining("not at the commit");
        succeeds.join();
        assertClaimedSoon(session, held);
    }

    /** Memory runs out while the answer to a commit is read. */
    @Test
    void anErrorAtTheCommitLeavesTheNodeInDoubt() {
        AtomicBoolean armed = new AtomicBoolean();
        Database faulty = database(connection -> (method, result) -> {
            if (method.getName().equals("commit") && armed.compareAndSet(true, false)) {
                connection.commit();
                throw new OutOfMemoryError("for a test");
            }
        });
        PostgresJobStore jobs = database.jobs();
        ClaimSession session = new PostgresClaimSession(faulty, jobs, new HeldClaims(), scope(), System::nanoTime);
        jobs.enqueue(List.of(JobDraft.plain("a")));
        session.look();
        armed.set(true);
        assertThatThrownBy(() -> session.exchange(List.of(), 1)).isInstanceOf(OutOfMemoryError.class);
        assertThat(session.inDoubt()).isTrue();
        session.releaseUnknown(List.of());
        assertThat(database.column("SELECT status FROM muster_jobs")).containsExactly("pending");
    }

    /** The connection is gone while the server is still at the commit, and gets through with it later. */
    @Test
    void aCommitThatComesAfterTheQuestionIsFoundByTheNext() {
        PostgresJobStore jobs = database.jobs();
        AtomicBoolean armed = new AtomicBoolean();
        AtomicLong later = new AtomicLong();
        atCommit("PERFORM pg_sleep(2);");
        Database impatient = database(connection -> (method, result) -> {
            if (method.getName().equals("commit") && armed.compareAndSet(true, false)) {
                // What a socket timeout does, sooner.
                connection.setNetworkTimeout(Runnable::run, 300);
            }
        });
        ClaimSession session = new PostgresClaimSession(
                impatient, jobs, new HeldClaims(), scope(), () -> System.nanoTime() + later.get());
        jobs.enqueue(List.of(JobDraft.plain("a")));
        session.look();
        armed.set(true);
        assertThatThrownBy(() -> session.exchange(List.of(), 1)).isInstanceOf(RuntimeException.class);
        assertThat(session.inDoubt()).isTrue();
        session.releaseUnknown(List.of());
        assertThat(session.inDoubt()).as("asked a moment ago").isFalse();

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

    private static CompletableFuture<Void> inThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task).start());
    }

    /** Told of every call to a connection before it is made. */
    private interface Before {
        void call(Method method, Object target) throws Throwable;
    }

    private interface Faults {
        Before of(Connection connection);
    }

    private Database database(Faults faults) {
        DataSource source = (DataSource) Proxy.newProxyInstance(
                CommitIT.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = invoke(database.dataSource(), method, arguments);
                    return result instanceof Connection connection
                            ? watched(connection, faults.of(connection))
                            : result;
                });
        return new Database(source, new SqlFiles("public"));
    }

    private static Connection watched(Connection connection, Before before) {
        return (Connection) Proxy.newProxyInstance(
                CommitIT.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    before.call(method, connection);
                    return invoke(connection, method, arguments);
                });
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
