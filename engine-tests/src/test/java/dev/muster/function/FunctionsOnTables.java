package dev.muster.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.ratelimit.RateKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Functions that write into tables of their own. After each test all connections are back in the pool, in autocommit mode. */
abstract class FunctionsOnTables extends EngineIT {
    static final Caller ADA =
            Caller.builder("key:1", "ada", Scope.WRITE).auth(Auth.KEY).build();

    final Shop shop = new Shop();
    HikariDataSource pool;
    Muster muster;

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

        @Query(rateLimit = @FunctionLimit(permits = 1, per = "1h", key = RateKey.Kind.GLOBAL))
        String rare() {
            return "seldom";
        }
    }

    interface Code<C> {
        @Nullable
        Object run(C ctx) throws Exception;
    }

    static void insert(FunctionContext ctx, int id, String article) throws SQLException {
        execute(ctx.connection(), "INSERT INTO orders VALUES (" + id + ", '" + article + "')");
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    FunctionResult call(String name, @Nullable String args) {
        return muster.functions().call(new FunctionCall(name, args, ADA, "req-1"));
    }

    FunctionException failure(String name, @Nullable String args) {
        Throwable thrown = catchThrowable(() -> call(name, args));
        assertThat(thrown).isInstanceOf(FunctionException.class);
        return (FunctionException) thrown;
    }

    long orders() {
        return database.number("SELECT count(*) FROM orders");
    }

    int jobs() {
        return muster.jobs().list(JobQuery.all()).size();
    }

    interface Ending {
        void end(Connection connection) throws SQLException;
    }
}
