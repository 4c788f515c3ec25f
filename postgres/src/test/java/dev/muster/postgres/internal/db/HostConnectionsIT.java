package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.provider.Store;
import dev.muster.internal.schedule.CronStore;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Sizes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections as hosts, their pools and their database's settings hand them out. */
class HostConnectionsIT extends HostDatabase {
    private static final int JOBS = Sizes.of(1_000, 4_000);

    @Test
    void claimsAndOutcomesDoNotFailAtEachOtherInADatabaseThatIsSerializableByDefault() throws Exception {
        setForDatabase("default_transaction_isolation = 'serializable'");
        workOff(database.dataSource(), JOBS);
    }

    @Test
    void claimsAndOutcomesDoNotFailAtEachOtherOnAPoolWithALevelOfItsOwn() throws Exception {
        try (HikariDataSource pool = pool(c -> c.setTransactionIsolation("TRANSACTION_REPEATABLE_READ"))) {
            workOff(pool, JOBS);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            }
        }
    }

    /** Four nodes; an exchange that is refused throws. */
    private void workOff(DataSource source, int count) throws Exception {
        PostgresStore store = store(source);
        store.jobs().enqueue(plain(count));
        ConcurrentLinkedQueue<JobId> done = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> nodes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ClaimSession session = store.claims().openClaims(filter("n" + i));
                nodes.add(threads.submit(() -> {
                    List<Outcome> outcomes = List.of();
                    while (done.size() < count) {
                        List<ClaimedJob> claimed =
                                session.exchange(outcomes, 20).claimed();
                        done.addAll(outcomes.stream().map(o -> o.claim().id()).toList());
                        outcomes = claimed.stream()
                                .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                                .toList();
                    }
                    return null;
                }));
            }
            for (Future<?> node : nodes) {
                node.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE status = 'completed'"))
                .isEqualTo(count);
        assertThat(Set.copyOf(done)).hasSize(count);
    }

    @Test
    void theControlConnectionIsReadCommittedAndGoesBackAsItCame() {
        setForDatabase("default_transaction_isolation = 'serializable'");
        ServerTimeline timeline = new ServerTimeline(new SqlFiles("public"), false);
        try (HikariDataSource pool = pool(c -> c.setMaximumPoolSize(1))) {
            ControlConnection control = new ControlConnection(
                    pool, null, false, timeline, StatementGroup.Finder.NONE, payload -> {}, () -> {});
            control.start();
            try {
                assertThat(control.<String>call(c -> text(c, "SELECT current_setting('transaction_isolation')")))
                        .isEqualTo("read committed");
            } finally {
                control.stop();
            }
            ControlConnection portable = new ControlConnection(
                    pool, null, true, timeline, StatementGroup.Finder.NONE, payload -> {}, () -> {});
            portable.start();
            try {
                portable.call(c -> text(c, "SELECT 1"));
                assertThat(portable.<String>call(c -> text(c, "SELECT current_setting('transaction_isolation')")))
                        .as("set for each call, as the next may be of another session")
                        .isEqualTo("read committed");
            } finally {
                portable.stop();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(text(connection, "SELECT current_setting('default_transaction_isolation')"))
                        .isEqualTo("serializable");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A job of that id ended after the caller's snapshot: it would be enqueued and run again. */
    @Test
    void anIdIsRefusedInATransactionThatCannotSeeWhatEndedMeanwhile() throws Exception {
        PostgresStore store = database.store();
        NewJob job = JobDraft.named("a").id(JobId.next()).job();
        for (int level : new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            try (Connection caller = database.connection()) {
                caller.setTransactionIsolation(level);
                caller.setAutoCommit(false);
                text(caller, "SELECT count(*) FROM muster_jobs");
                if (level == Connection.TRANSACTION_REPEATABLE_READ) {
                    store.jobs().enqueue(List.of(job));
                    ClaimSession session = store.claims().openClaims(filter("n"));
                    ClaimedJob claimed =
                            session.exchange(List.of(), 1).claimed().get(0);
                    session.exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0);
                }
                assertThatThrownBy(() -> store.jobs().enqueue(caller, List.of(job)))
                        .isInstanceOf(InvalidJob.class)
                        .hasMessageContaining(
                                level == Connection.TRANSACTION_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ")
                        .hasMessageContaining("READ COMMITTED");
                caller.commit();
            }
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(store.jobReader().find(job.id()).orElseThrow().status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void completionInATransactionThatIsOlderThanTheClaimSaysWhichLevelToUse() throws Exception {
        PostgresStore store = database.store();
        ClaimSession session = store.claims().openClaims(filter("n"));
        try (Connection caller = database.connection()) {
            caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            caller.setAutoCommit(false);
            store.jobs().enqueue(plain(1));
            text(caller, "SELECT count(*) FROM muster_jobs");
            ClaimedJob claimed = session.exchange(List.of(), 1).claimed().get(0);
            assertThatThrownBy(() -> store.claims().completeIn(caller, claimed.claim(), null))
                    .hasMessageContaining("REPEATABLE READ")
                    .hasMessageContaining("Use READ COMMITTED");
            caller.rollback();

            text(caller, "SELECT count(*) FROM muster_jobs");
            store.claims().markRunning(List.of(new Start(claimed.claim(), 3, 5, 0)));
            assertThatThrownBy(() -> store.claims().completeIn(caller, claimed.claim(), null))
                    .hasMessageContaining("REPEATABLE READ")
                    .hasMessageContaining("Use READ COMMITTED");
            caller.rollback();

            assertThat(store.claims().completeIn(caller, claimed.claim(), null))
                    .as("nothing has changed since this transaction began")
                    .isTrue();
            caller.commit();
            assertThat(store.claims().completeIn(caller, claimed.claim(), null))
                    .as("lost")
                    .isFalse();
            caller.rollback();
        }
    }

    @Test
    void aTransactionOfTheCallersIsNeverCommittedUnderIt() throws Exception {
        database.execute("CREATE TABLE orders (id int)");
        AtomicReference<Connection> bound = new AtomicReference<>();
        ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);
        DataSource aware = proxy(DataSource.class, database.dataSource(), (target, method, arguments) -> {
            if (!method.getName().equals("getConnection") || !inside.get()) {
                return method.invoke(target, arguments);
            }
            return proxy(
                    Connection.class,
                    bound.get(),
                    (connection, call, values) ->
                            call.getName().equals("close") ? null : call.invoke(connection, values));
        });
        PostgresStore store = store(aware);
        JobId known = store.jobs().enqueue(plain(1)).get(0);
        try (Connection caller = database.transaction();
                Statement statement = caller.createStatement()) {
            bound.set(caller);
            inside.set(true);
            statement.execute("INSERT INTO orders VALUES (1)");
            List<Runnable> calls = List.of(
                    () -> store.jobs().enqueue(plain(1)),
                    () -> store.jobs().enqueue(plain(200)),
                    () -> store.jobs()
                            .enqueue(List.of(JobDraft.named("a").key("k").job())),
                    () -> store.jobReader().find(known),
                    () -> store.jobReader().list(JobQuery.all()),
                    () -> store.jobs().cancel(known),
                    () -> store.jobs().retry(known),
                    () -> store.port(LockStore.class).list(),
                    () -> store.port(CronStore.class).list(),
                    () -> store.queues().list(),
                    () -> {
                        try {
                            store.connection();
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        }
                    });
            for (Runnable call : calls) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(MusterException.class)
                        .hasMessageContaining("inside a transaction")
                        .hasMessageContaining("CurrentTransaction");
            }
            caller.rollback();
            inside.set(false);
        }
        assertThat(database.number("SELECT count(*) FROM orders")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(1);
    }

    /** HikariCP leaves the transaction open in which it has set a new connection up. */
    @Test
    void aPoolThatSetsItsConnectionsUpInATransactionIsUsedAsItIs() throws Exception {
        database.execute("CREATE SCHEMA shop; CREATE TABLE shop.orders (id int)");
        try (HikariDataSource pool = pool(c -> {
            c.setAutoCommit(false);
            c.setSchema("shop");
            c.setConnectionInitSql("SET statement_timeout = '77s'");
        })) {
            PostgresStore store = store(pool);
            store.connect(Store.Events.ignored());
            try {
                workOff(pool, 40);
                assertThat(store.isReachable()).isTrue();
                try (Connection lent = store.connection()) {
                    assertThat(lent.getAutoCommit()).isTrue();
                }
                for (int i = 0; i < 10; i++) {
                    try (Connection host = pool.getConnection();
                            Statement statement = host.createStatement()) {
                        assertThat(host.getAutoCommit()).isFalse();
                        statement.execute("INSERT INTO orders VALUES (1)");
                        assertThat(text(host, "SELECT current_setting('statement_timeout')"))
                                .isEqualTo("77s");
                        host.rollback();
                    }
                }
            } finally {
                store.close();
            }
        }
        assertThat(database.number("SELECT count(*) FROM shop.orders")).isZero();
    }

    /** A pool that sets nothing right, which is allowed. */
    @Test
    void theHostGetsItsConnectionsBackAsTheyWere() throws Exception {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setUrl(database.url());
        try (Connection only = direct.getConnection()) {
            DataSource pool = proxy(
                    DataSource.class,
                    direct,
                    (target, method, arguments) -> method.getName().equals("getConnection")
                            ? proxy(
                                    Connection.class,
                                    only,
                                    (connection, call, values) ->
                                            call.getName().equals("close") ? null : call.invoke(connection, values))
                            : method.invoke(target, arguments));
            PostgresStore store = store(pool);
            for (boolean autoCommit : new boolean[] {true, false}) {
                only.setAutoCommit(autoCommit);
                only.setNetworkTimeout(Runnable::run, 123_000);
                store.jobs().enqueue(plain(1));
                store.jobs().enqueue(plain(200));
                store.jobReader().list(JobQuery.all());
                assertThatThrownBy(() -> store.jobs()
                                .enqueue(List.of(
                                        JobDraft.named("a").args("\\u0000").job())))
                        .isInstanceOf(InvalidJob.class);
                try (Connection lent = store.connection()) {
                    assertThat(lent.getAutoCommit()).isTrue();
                    text(lent, "SELECT 1");
                }
                assertThat(only.getAutoCommit()).isEqualTo(autoCommit);
                assertThat(only.getNetworkTimeout()).isEqualTo(123_000);
            }
        }
    }

    /** The pool is empty: whoever writes for all waits for a connection, and is interrupted there. */
    @Test
    void anInterruptionOfTheCallerThatWritesFailsNobody() throws Exception {
        try (HikariDataSource pool = pool(c -> c.setMaximumPoolSize(1))) {
            PostgresStore store = store(pool);
            store.jobs().enqueue(plain(1));
            ExecutorService threads = Executors.newFixedThreadPool(8);
            ConcurrentLinkedQueue<Thread> callers = new ConcurrentLinkedQueue<>();
            List<Future<Boolean>> calls = new ArrayList<>();
            try {
                try (Connection last = pool.getConnection()) {
                    assertThat(last.isClosed()).isFalse();
                    for (int i = 0; i < 8; i++) {
                        calls.add(threads.submit(() -> {
                            callers.add(Thread.currentThread());
                            store.jobs().enqueue(plain(1));
                            return Thread.interrupted();
                        }));
                    }
                    await().until(() -> callers.size() == 8 && isWaitedFor(pool));
                    callers.forEach(Thread::interrupt);
                    await().until(() -> isWaitedFor(pool));
                }
                for (Future<Boolean> call : calls) {
                    assertThat(call.get(2, TimeUnit.MINUTES))
                            .as("finds its interruption afterwards")
                            .isTrue();
                }
            } finally {
                threads.shutdownNow();
            }
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(9);
    }

    private static boolean isWaitedFor(HikariDataSource pool) {
        return pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1;
    }

    private static <T> T proxy(Class<T> type, T target, Call<T> call) {
        return type.cast(Proxy.newProxyInstance(
                HostConnectionsIT.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.made(target, method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** What becomes of a call to a proxy. */
    private interface Call<T> {
        Object made(T target, Method method, Object[] arguments) throws Throwable;
    }
}
