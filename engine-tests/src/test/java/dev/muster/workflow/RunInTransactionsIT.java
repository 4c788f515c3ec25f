package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.batch.BatchRequest;
import dev.muster.engine.EngineIT;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionException;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.RetryPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The transactions in which user code runs, whatever the pool, the role and the database have for a default. */
class RunInTransactionsIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Caller ADA =
            Caller.builder("key:1", "ada", Scope.WRITE).auth(Auth.KEY).build();

    /** A pool that gives connections out in the mode in which they came back. */
    private final class PoolWithoutReset {
        private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();
        private final Set<Connection> opened = ConcurrentHashMap.newKeySet();
        private final Set<Connection> usedByCode = ConcurrentHashMap.newKeySet();

        /** The modes in which the connections that user code had, or any other, came back. */
        private final List<Boolean> ofCode = new CopyOnWriteArrayList<>();

        private final List<Boolean> all = new CopyOnWriteArrayList<>();

        DataSource dataSource() {
            return (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                        if (!method.getName().equals("getConnection")) {
                            throw new UnsupportedOperationException(method.getName());
                        }
                        return lent(next());
                    });
        }

        private Connection next() throws SQLException {
            for (Connection free = idle.poll(); free != null; free = idle.poll()) {
                if (!free.isClosed()) {
                    return free;
                }
            }
            Connection fresh = DriverManager.getConnection(database.url());
            opened.add(fresh);
            return fresh;
        }

        private Connection lent(Connection connection) {
            return (Connection) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                        if (method.getName().equals("close")) {
                            comesBack(connection);
                            return null;
                        }
                        try {
                            return method.invoke(connection, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private void comesBack(Connection connection) throws SQLException {
            if (connection.isClosed()) {
                return;
            }
            boolean autoCommit = connection.getAutoCommit();
            all.add(autoCommit);
            if (usedByCode.remove(connection)) {
                ofCode.add(autoCommit);
            }
            idle.add(connection);
        }

        /** User code has this connection. */
        void noteUse(Connection connection) throws SQLException {
            usedByCode.add(connection.unwrap(Connection.class));
        }

        void close() throws SQLException {
            for (Connection connection : opened) {
                connection.close();
            }
        }
    }

    /** Code of a step, a compensation or a function that each test brings along. */
    @FunctionalInterface
    interface Effect {
        @Nullable
        String on(Connection connection) throws Exception;
    }

    /** One workflow, one compensation and one function, each of which writes to the ledger in its transaction. */
    public final class Ledger {
        final AtomicInteger executions = new AtomicInteger();
        final AtomicInteger draws = new AtomicInteger();
        volatile Effect effect = connection -> "booked";
        volatile Effect undo = connection -> null;

        @Workflow(name = "ledger", version = "v1")
        String run(WorkflowContext wf) {
            Integer number = wf.step("draw", Integer.class).run(step -> draws.incrementAndGet());
            return wf.step("book", String.class)
                    .retry(RetryPolicy.fixed(2, Duration.ofMillis(1)))
                    .runIn(connection -> {
                        executions.incrementAndGet();
                        insert(connection, number);
                        return effect.on(connection);
                    });
        }

        @Workflow(name = "undone", version = "v1")
        String undone(WorkflowContext wf) {
            wf.step("book").compensateWith("cancel_booking", null).run(step -> null);
            throw new IllegalStateException("undo it");
        }

        @Compensation("cancel_booking")
        void cancelBooking(Connection connection) throws Exception {
            pool.noteUse(connection);
            insert(connection, -1);
            undo.on(connection);
        }

        @Mutation
        @Nullable
        Object book(MutationContext ctx) throws Exception {
            pool.noteUse(ctx.connection());
            insert(ctx.connection(), 1);
            return effect.on(ctx.connection());
        }

        @Job("nothing")
        void nothing() {}

        private void insert(Connection connection, int number) throws SQLException {
            pool.noteUse(connection);
            execute(connection, "INSERT INTO ledger VALUES (" + number + ")");
        }
    }

    private final Ledger ledger = new Ledger();
    private final PoolWithoutReset pool = new PoolWithoutReset();

    @BeforeEach
    void createTables() {
        database.execute("CREATE TABLE ledger (number int);"
                + " CREATE TABLE parts (id int PRIMARY KEY, whole int REFERENCES parts DEFERRABLE INITIALLY DEFERRED)");
    }

    @AfterEach
    void closePool() throws SQLException {
        pool.close();
    }

    private Muster started() {
        return start(builder(Map.of(), ledger).dataSource(pool.dataSource()));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String shown(Connection connection, String setting) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW " + setting)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** What the database has from now on, for new connections. */
    private void setDefault(String setting, String value) {
        database.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET " + setting + " = " + value
                + "', current_database()); END $$");
    }

    private List<String> booked() {
        return database.column("SELECT number FROM ledger ORDER BY number");
    }

    private RunInfo ended(Muster node, String workflow) {
        return node.workflows().await(node.workflows().start(workflow, null), SOON);
    }

    private String call(Muster node) {
        return node.functions()
                .call(new FunctionCall("book", null, ADA, "req-1"))
                .json();
    }

    /** How the code ends its transaction: well, with an exception, or so that the commit fails. The last two do so once. */
    private enum End {
        COMMITS,
        FAILS,
        CANNOT_BE_COMMITTED;

        Effect effect() {
            AtomicInteger calls = new AtomicInteger();
            return connection -> {
                if (calls.incrementAndGet() == 1 && this == FAILS) {
                    throw new IllegalStateException("the first time");
                }
                if (calls.get() == 1 && this == CANNOT_BE_COMMITTED) {
                    execute(connection, "INSERT INTO parts VALUES (7, 8)");
                }
                return "booked";
            };
        }

        int transactions() {
            return this == COMMITS ? 1 : 2;
        }
    }

    private void allCameBackAsTheyWere(int transactions) {
        assertThat(pool.ofCode).hasSize(transactions);
        assertThat(pool.all).doesNotContain(false);
    }

    @Test
    void theConnectionOfAStepComesBackInTheModeThatItHad() {
        Muster node = started();
        int transactions = 0;
        for (End end : End.values()) {
            ledger.effect = end.effect();
            assertThat(ended(node, "ledger").status()).as(end.name()).isEqualTo(RunStatus.COMPLETED);
            transactions += end.transactions();
            allCameBackAsTheyWere(transactions);
        }
    }

    @Test
    void theConnectionOfACompensationComesBackInTheModeThatItHad() {
        Muster node = started();
        int transactions = 0;
        for (End end : End.values()) {
            ledger.undo = end.effect();
            JobId run = node.workflows().start("undone", null);
            transactions += end.transactions();
            awaitCompensation(node, run, transactions);
            allCameBackAsTheyWere(transactions);
        }
    }

    /** The pause before the second attempt is over at once. */
    private void awaitCompensation(Muster node, JobId run, int transactions) {
        await().atMost(SOON).until(() -> {
            database.execute("UPDATE muster_jobs SET ready_at = muster_clock() WHERE id = '" + run
                    + "' AND token IS NULL AND ready_at > muster_clock()");
            return node.workflows().find(run).orElseThrow().status() == RunStatus.COMPENSATED;
        });
        assertThat(pool.ofCode).hasSize(transactions);
    }

    @Test
    void theConnectionOfAFunctionComesBackInTheModeThatItHad() {
        Muster node = started();
        assertThat(call(node)).isEqualTo("\"booked\"");
        for (End end : List.of(End.FAILS, End.CANNOT_BE_COMMITTED)) {
            ledger.effect = end.effect();
            assertThatThrownBy(() -> call(node)).as(end.name()).isInstanceOf(FunctionException.class);
        }
        allCameBackAsTheyWere(3);
    }

    @Test
    void theConnectionOfAFanOutComesBackInTheModeThatItHad() {
        Muster node = started();
        int before = pool.all.size();

        node.batches().fanOut(BatchRequest.of("at-once"), List.of(JobRequest.of("nothing"), JobRequest.of("nothing")));

        assertThat(pool.all).hasSizeGreaterThan(before);
        allCameBackAsTheyWere(0);
    }

    /** A renewal of the claim changes the driver while the step runs: with a snapshot of its own the step could not be stored. */
    @Test
    void aStepThatReadsIsStoredThoughItsClaimIsRenewedMeanwhile() {
        setDefault("default_transaction_isolation", "serializable");
        ledger.effect = connection -> {
            assertThat(shown(connection, "transaction_isolation")).isEqualTo("read committed");
            execute(connection, "SELECT count(*) FROM muster_jobs");
            database.execute("UPDATE muster_jobs SET lease_until = lease_until + interval '1 second',"
                    + " started_at = coalesce(started_at, muster_clock()) WHERE name LIKE 'workflow:%'");
            return "booked";
        };
        Muster node = started();

        RunInfo end = ended(node, "ledger");

        assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(node.workflows().steps(end.id()))
                .extracting(StepInfo::attempt)
                .containsExactly(1, 1);
        assertThat(ledger.executions).hasValue(1);
    }

    @Test
    void aStepWaitsForTheDisk() {
        setDefault("synchronous_commit", "off");
        ledger.effect = connection -> shown(connection, "synchronous_commit");

        RunInfo end = ended(started(), "ledger");

        assertThat(end.result()).contains("\"on\"");
    }

    /** A standby takes over, without the last step, while a step runs in its transaction: that is rolled back and the run is loaded again. */
    @Test
    void aTransactionThatBeganOnTheServerBeforeIsRolledBack() {
        Muster node = started();
        ledger.effect = connection -> {
            if (ledger.executions.get() == 1) {
                database.execute("DELETE FROM muster_workflow_steps WHERE name = 'draw'");
                moveToAnotherServer(node);
            }
            return "booked";
        };
        JobId run = node.workflows().start("ledger", null);

        // Who asks while the servers change may be refused.
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(
                                node.workflows().find(run).orElseThrow().status())
                        .isEqualTo(RunStatus.COMPLETED));
        assertThat(booked()).containsExactly("2");
        assertThat(node.workflows().steps(run))
                .extracting(
                        StepInfo::name, StepInfo::attempt, step -> step.result().orElse(""))
                .containsExactly(tuple("draw", 1, "2"), tuple("book", 1, "\"booked\""));
    }

    /** A function stores nothing of Muster's, so only its commit can find out. */
    @Test
    void aFunctionThatBeganOnTheServerBeforeIsRolledBack() {
        Muster node = started();
        ledger.effect = connection -> {
            moveToAnotherServer(node);
            return "booked";
        };

        assertThatThrownBy(() -> call(node)).isInstanceOf(FunctionException.class);

        assertThat(booked()).isEmpty();
    }

    /** The database is on another server, and the node has written to it through another connection. */
    private void moveToAnotherServer(Muster node) {
        database.execute("UPDATE muster_server SET wal_timeline = 5");
        await().ignoreExceptions().until(() -> {
            node.workflows().pause("undone");
            return true;
        });
    }
}
