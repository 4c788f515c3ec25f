package dev.muster.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.limit.RateKey;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Functions and their transactions. After each test all connections are back in the pool, in autocommit mode. */
class FunctionsIT extends EngineIT {
    private static final Caller ADA =
            new Caller("key:1", "ada", Scope.WRITE, Set.of(), Optional.empty(), Optional.empty());

    private final Shop shop = new Shop();
    private HikariDataSource pool;
    private Muster muster;

    @BeforeEach
    void open() {
        database.execute("CREATE TABLE orders (id int PRIMARY KEY, article text NOT NULL)");
        database.execute("CREATE TABLE checked (id int REFERENCES orders DEFERRABLE INITIALLY DEFERRED)");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(4);
        pool = new HikariDataSource(config);
        muster = builder(Map.of(), shop).dataSource(pool).build();
    }

    @AfterEach
    void everyConnectionIsBack() throws SQLException {
        try {
            // The thread that wakes other nodes after a commit may still have one.
            await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
            for (int i = 0; i < 4; i++) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(
                                "SELECT current_setting('transaction_read_only') ||"
                                        + " current_setting('statement_timeout') || current_setting('transaction_isolation')")) {
                    rows.next();
                    assertThat(rows.getString(1)).isEqualTo("off0read committed");
                }
            }
            // A node that the test has started may be between two statements.
            await().until(() ->
                    database.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND state LIKE 'idle in transaction%'")
                            == 0);
        } finally {
            muster.close();
            pool.close();
        }
    }

    record OrderRef(int id) {}

    record OrderArgs(int id, String article) {}

    record Order(int id, String article) {}

    /** Handlers get their code from the tests. */
    final class Shop {
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger processed = new AtomicInteger();

        @Nullable
        Code<QueryContext> query;

        @Nullable
        Code<MutationContext> mutation;

        @Query
        @Nullable
        Order order(QueryContext ctx, OrderRef ref) throws SQLException {
            try (Statement statement = ctx.connection().createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id, article FROM orders WHERE id = " + ref.id())) {
                return rows.next() ? new Order(rows.getInt(1), rows.getString(2)) : null;
            }
        }

        @Mutation
        JobId placeOrder(MutationContext ctx, OrderArgs args) throws SQLException {
            insert(ctx, args.id(), args.article());
            JobId id = ctx.jobs().enqueue("process_order", args.id());
            if (args.article().equals("sold out")) {
                throw new FunctionError("sold_out", "there is none left");
            }
            return id;
        }

        @Job("process_order")
        void process(int id) {
            processed.addAndGet(id);
        }

        @Query
        @Nullable
        Object query(QueryContext ctx) throws Exception {
            runs.incrementAndGet();
            return query.run(ctx);
        }

        @Mutation
        @Nullable
        Object mutation(MutationContext ctx) throws Exception {
            runs.incrementAndGet();
            return mutation.run(ctx);
        }

        @Mutation(isolation = Isolation.SERIALIZABLE)
        @Nullable
        Object serializable(MutationContext ctx) throws Exception {
            runs.incrementAndGet();
            return mutation.run(ctx);
        }

        @Mutation(isolation = Isolation.SERIALIZABLE, retryOnConflict = 20)
        @Nullable
        Object repeated(MutationContext ctx) throws Exception {
            runs.incrementAndGet();
            return mutation.run(ctx);
        }

        @Mutation(isolation = Isolation.REPEATABLE_READ, timeout = "300ms")
        @Nullable
        Object hasty(MutationContext ctx) throws Exception {
            return mutation.run(ctx);
        }

        @Query(rateLimit = @FunctionLimit(permits = 1, per = "1h", key = RateKey.Scope.GLOBAL))
        String rare() {
            return "seldom";
        }
    }

    private interface Code<C> {
        @Nullable
        Object run(C ctx) throws Exception;
    }

    private static void insert(FunctionContext ctx, int id, String article) throws SQLException {
        execute(ctx.connection(), "INSERT INTO orders VALUES (" + id + ", '" + article + "')");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private FunctionResult call(String name, @Nullable String args) {
        return muster.functions().call(new FunctionCall(name, args, ADA, "req-1"));
    }

    private FunctionException failure(String name, @Nullable String args) {
        Throwable thrown = catchThrowable(() -> call(name, args));
        assertThat(thrown).isInstanceOf(FunctionException.class);
        return (FunctionException) thrown;
    }

    private long orders() {
        return database.number("SELECT count(*) FROM orders");
    }

    private int jobs() {
        return muster.jobs().list(JobQuery.all()).size();
    }

    @Test
    void aMutationCommitsItsRowsAndItsJobsTogether() {
        FunctionResult result = call("place_order", "{\"id\":7,\"article\":\"tea\"}");

        JobInfo job = muster.jobs().list(JobQuery.all()).get(0);
        assertThat(result.json()).isEqualTo("\"" + job.id() + "\"");
        assertThat(job.args()).isEqualTo("7");
        assertThat(call("order", "{\"id\":7}").json()).isEqualTo("{\"id\":7,\"article\":\"tea\"}");
        assertThat(call("order", "{\"id\":8}").json()).isEqualTo("null");
    }

    @Test
    void aMutationThatThrowsLeavesNothing() {
        FunctionException error = failure("place_order", "{\"id\":7,\"article\":\"sold out\"}");

        assertThat(error.code()).isEqualTo("sold_out");
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void aResultThatCannotBeWrittenRollsBack() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            return new Object() {
                @SuppressWarnings("unused")
                public String getArticle() {
                    throw new IllegalStateException("no article");
                }
            };
        };

        assertThat(failure("mutation", null)).isInstanceOf(FunctionFailed.class);
        assertThat(orders()).isZero();
    }

    /** Muster's own pool ends a connection that has refused a write, so that the transaction cannot be rolled back. */
    @Test
    void aQueryThatWritesFailsForGood() {
        shop.query = ctx -> {
            execute(ctx.connection(), "INSERT INTO orders VALUES (1, 'tea')");
            return null;
        };
        String refusal = "'query' is a query and has tried to write, which a query may not do";
        assertThat(failure("query", null)).isInstanceOf(FunctionFailed.class).hasMessage(refusal);
        MusterConfig ownPool = MusterConfig.defaults().with(STEADY).with("database.url", database.url());
        try (Muster node = Muster.builder().config(ownPool).register(shop).build()) {
            assertThatThrownBy(() -> node.functions().call(new FunctionCall("query", null, ADA, "req-1")))
                    .isInstanceOf(FunctionFailed.class)
                    .hasMessage(refusal);
        }
    }

    @Test
    void anUnknownFieldIsRefusedWithItsPlace() {
        FunctionException error = failure("place_order", "{\"id\":7,\"article\":\"tea\",\"colour\":\"red\"}");

        assertThat(error).isInstanceOf(InvalidArgs.class).hasMessageContaining("colour");
        assertThat(orders()).isZero();
    }

    /** Within much less than the ten seconds after which an idle node polls. */
    @Test
    void anIdleNodeRunsTheJobRightAfterTheCommit() throws Exception {
        Muster worker = node(Map.of("worker.max_poll_interval", "10m", "worker.poll_interval", "10m"), shop);
        JobId first = worker.jobs().enqueue("process_order", 1);
        ended(worker, first);

        call("place_order", "{\"id\":7,\"article\":\"tea\"}");

        JobId id = muster.jobs().list(JobQuery.all().limit(1)).get(0).id();
        assertThat(worker.jobs().await(id, PATIENCE).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(shop.processed).hasValue(8);
    }

    @Test
    void aFunctionThatUsesNoConnectionTakesNone() throws SQLException {
        shop.query = ctx -> "nothing";
        shop.mutation = ctx -> "nothing";
        Connection[] all = new Connection[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = pool.getConnection();
        }
        try {
            assertThat(call("query", null).json()).isEqualTo("\"nothing\"");
            assertThat(call("mutation", null).json()).isEqualTo("\"nothing\"");
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    @Test
    void aQueryCannotWrite() {
        shop.query = ctx -> {
            insert(ctx, 1, "tea");
            return null;
        };
        assertThat(failure("query", null))
                .isInstanceOf(FunctionFailed.class)
                .hasRootCauseMessage("ERROR: cannot execute INSERT in a read-only transaction");

        shop.query = ctx -> muster.jobs().in(ctx.connection()).enqueue("process_order", 1);
        assertThat(failure("query", null).getCause()).hasMessageContaining("read-only transaction");
        assertThat(jobs()).isZero();
    }

    @Test
    void aHandlerCannotEndItsTransaction() {
        shop.mutation = ctx -> {
            Connection connection = ctx.connection();
            insert(ctx, 1, "tea");
            for (Ending ending : List.<Ending>of(
                    Connection::commit,
                    Connection::rollback,
                    c -> c.setAutoCommit(true),
                    c -> c.setReadOnly(true),
                    c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                    c -> c.abort(Runnable::run))) {
                assertThatThrownBy(() -> ending.end(connection))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("is not for functions");
            }
            connection.close();
            Savepoint before = connection.setSavepoint();
            insert(ctx, 2, "coffee");
            connection.rollback(before);
            assertThat(ctx.connection()).isSameAs(connection).isEqualTo(connection);
            throw new IllegalStateException("all of it is rolled back");
        };

        assertThat(failure("mutation", null)).hasRootCauseMessage("all of it is rolled back");
        assertThat(orders()).isZero();
    }

    private interface Ending {
        void end(Connection connection) throws SQLException;
    }

    @Test
    void theContextIsOfNoUseAfterTheCall() throws SQLException {
        Object[] kept = new Object[3];
        shop.mutation = ctx -> {
            kept[0] = ctx;
            kept[1] = ctx.connection();
            kept[2] = ctx.jobs();
            return null;
        };
        call("mutation", null);

        assertThatThrownBy(() -> ((MutationContext) kept[0]).connection())
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> execute((Connection) kept[1], "INSERT INTO orders VALUES (1, 'tea')"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("has ended");
        assertThat(((Connection) kept[1]).isClosed()).isTrue();
        assertThatThrownBy(() -> ((dev.muster.job.Enqueuer) kept[2]).enqueue("process_order", 1))
                .isInstanceOf(MusterException.class);
        assertThat(jobs()).isZero();
    }

    @Test
    void aMutationHasTheIsolationThatItAsksFor() {
        shop.mutation = ctx -> text(ctx.connection(), "SHOW transaction_isolation");
        shop.query = ctx -> text(ctx.connection(), "SHOW transaction_read_only");

        assertThat(call("mutation", null).json()).isEqualTo("\"read committed\"");
        assertThat(call("serializable", null).json()).isEqualTo("\"serializable\"");
        assertThat(call("hasty", null).json()).isEqualTo("\"repeatable read\"");
        assertThat(call("query", null).json()).isEqualTo("\"on\"");
    }

    /** Two serializable transactions each read what the other one writes: one of the first two has to give way. */
    private void countAndInsert() {
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        AtomicInteger ids = new AtomicInteger();
        shop.mutation = ctx -> {
            String count = text(ctx.connection(), "SELECT count(*) FROM orders");
            int id = ids.incrementAndGet();
            if (id <= 2) {
                bothHaveRead.await(90, TimeUnit.SECONDS);
            }
            insert(ctx, id, "after " + count);
            ctx.jobs().enqueue("process_order", id);
            return id;
        };
    }

    private List<Object> callTwice(String name) throws Exception {
        Supplier<Object> one = () -> {
            try {
                return call(name, null).json();
            } catch (FunctionException e) {
                return e.code();
            }
        };
        CompletableFuture<Object> first = CompletableFuture.supplyAsync(one);
        CompletableFuture<Object> second = CompletableFuture.supplyAsync(one);
        return List.of(first.get(90, TimeUnit.SECONDS), second.get(90, TimeUnit.SECONDS));
    }

    @Test
    void aConflictIsToldToTheCaller() throws Exception {
        countAndInsert();

        assertThat(callTwice("serializable")).contains("conflict").doesNotHaveDuplicates();

        assertThat(shop.runs).hasValue(2);
        assertThat(orders()).isEqualTo(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aMutationThatSaysSoIsRepeatedAfterAConflict() throws Exception {
        countAndInsert();

        assertThat(callTwice("repeated")).doesNotContain("conflict");

        assertThat(shop.runs.get()).isGreaterThan(2);
        assertThat(database.column("SELECT article FROM orders ORDER BY id")).containsExactly("after 0", "after 1");
        assertThat(jobs()).isEqualTo(2);
    }

    /** The driver reports the commit of such a transaction as done, although the server rolls it back. */
    @Test
    void aFailedStatementThatTheHandlerHidesIsNoSuccess() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            assertThatThrownBy(() -> insert(ctx, 1, "tea")).isInstanceOf(SQLException.class);
            return "all is well";
        };

        assertThat(failure("mutation", null))
                .isInstanceOf(FunctionFailed.class)
                .hasRootCauseMessage(
                        "a statement of the transaction failed, and the code that sent it returned all the same; it is rolled back");
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void otherErrorsAreNotRepeated() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            insert(ctx, 1, "tea");
            return null;
        };
        assertThat(failure("repeated", null)).isInstanceOf(FunctionFailed.class);
        assertThat(shop.runs).hasValue(1);

        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            execute(ctx.connection(), "INSERT INTO checked VALUES (2)");
            return "the commit finds out";
        };
        assertThat(failure("repeated", null)).isInstanceOf(FunctionFailed.class);
        assertThat(shop.runs).hasValue(2);
        assertThat(orders()).isZero();
    }

    private void terminate(FunctionContext ctx) throws SQLException {
        database.execute(
                "SELECT pg_terminate_backend(" + text(ctx.connection(), "SELECT pg_backend_pid()") + ", 10000)");
    }

    @Test
    void aConnectionThatBreaksBeforeTheCommitLeavesNothing() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            terminate(ctx);
            insert(ctx, 2, "coffee");
            return null;
        };

        assertThat(failure("repeated", null)).isInstanceOf(FunctionUnavailable.class);
        assertThat(shop.runs).hasValue(1);
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void aConnectionThatBreaksDuringTheCommitLeavesItUnknown() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            terminate(ctx);
            return null;
        };

        FunctionException failure = failure("repeated", null);

        assertThat(failure)
                .isInstanceOf(CommitUnknown.class)
                .hasMessageContaining("may or may not have been committed");
        assertThat(failure.code()).isEqualTo("outcome_unknown");
        assertThat(shop.runs).hasValue(1);
        assertThat(orders()).isZero();
    }

    /** A thread that waits for the server cannot be interrupted; the server ends the statement. */
    @Test
    void aStatementThatTakesTooLongEndsWithTheCall() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            execute(ctx.connection(), "SELECT pg_sleep(600)");
            return null;
        };
        long began = System.nanoTime();

        FunctionException failure = failure("hasty", null);

        assertThat(failure).isInstanceOf(FunctionTimeout.class);
        Measured.within(
                Duration.ofSeconds(30), Duration.ofNanos(System.nanoTime() - began), "a call with a long statement");
        assertThat(Thread.interrupted()).isFalse();
        assertThat(orders()).isZero();
    }

    @Test
    void aLoopOfShortStatementsEndsWithTheCallToo() {
        AtomicInteger statements = new AtomicInteger();
        shop.mutation = ctx -> {
            while (statements.incrementAndGet() < 10_000_000) {
                text(ctx.connection(), "SELECT 1");
            }
            return "never";
        };

        assertThat(failure("hasty", null))
                .isInstanceOf(FunctionTimeout.class)
                .hasRootCauseMessage("the time of the call of 'hasty' is over");
    }

    @Test
    void aMutationThatReturnsTooLateIsRolledBack() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            while (!ctx.isCancelled()) {
                Thread.onSpinWait();
            }
            return "done, but too late";
        };

        assertThat(failure("hasty", null)).isInstanceOf(FunctionTimeout.class);
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void anEmptyPoolMakesACallWaitNoLongerThanItsTimeout() throws SQLException {
        shop.mutation = ctx -> text(ctx.connection(), "SELECT 1");
        Connection[] all = new Connection[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = pool.getConnection();
        }
        try {
            assertThat(failure("hasty", null)).isInstanceOf(FunctionTimeout.class);
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
        assertThat(call("hasty", null).json()).isEqualTo("\"1\"");
    }

    @Test
    void aLimitIsSharedByAllNodes() {
        Muster other = builder(Map.of(), shop).dataSource(pool).build();
        try {
            assertThat(call("rare", null).permit().orElseThrow().decision().remaining())
                    .isZero();
            assertThatThrownBy(() -> other.functions().call(new FunctionCall("rare", null, ADA, "req-2")))
                    .isInstanceOf(TooManyCalls.class);
        } finally {
            other.close();
        }
    }

    @Test
    void onlyNodesWithTheRoleRunFunctions() {
        Muster worker = builder(Map.of("node.roles", "worker"), shop).build();
        Muster observer = builder(Map.of("node.mode", "observer"), shop).build();
        try {
            assertThatThrownBy(() -> worker.functions().call(new FunctionCall("order", "{\"id\":1}", ADA, "req-1")))
                    .isInstanceOf(NotServed.class);
            assertThat(observer.functions()
                            .call(new FunctionCall("order", "{\"id\":1}", ADA, "req-1"))
                            .json())
                    .isEqualTo("null");
            assertThat(observer.functions()
                            .call(new FunctionCall("rare", null, ADA, "req-1"))
                            .permit())
                    .isPresent();
            assertThatThrownBy(() -> observer.functions().call(new FunctionCall("mutation", null, ADA, "req-1")))
                    .isInstanceOf(ObserverRefusal.class);
        } finally {
            worker.close();
            observer.close();
        }
    }

    @Test
    void twoFunctionsOfOneNameAreRefusedAtBuild() {
        class Other {
            @Query
            void placeOrder() {}
        }

        assertThatThrownBy(() -> builder(Map.of(), shop, new Other()).build())
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("two functions have the name 'place_order'");
    }
}
