package dev.muster.postgres.internal.ratelimits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.internal.ratelimit.RateLimitStore.Ask;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows that somebody else has locked, and callers that are interrupted. */
class PostgresRateLimitStoreIT {
    private static final int CALLERS = 30;
    private static final RateKey KEY = RateKey.global("sms");
    private static final RateLimit LIMIT = new RateLimit(2, Duration.ofDays(366));
    private static final String ROW = "SELECT FROM muster_rate_limits WHERE key = 'global/sms' FOR UPDATE";

    private final FreshDatabase database = new FreshDatabase();
    private final AtomicInteger statements = new AtomicInteger();
    private volatile Runnable beforeStatement = () -> {};
    private final PostgresStore store = new PostgresStore(
            WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
                if (text.contains("muster_take_permits")) {
                    statements.incrementAndGet();
                    beforeStatement.run();
                }
            }),
            MusterConfig.defaults());
    private final RateLimitStore limits = store.port(RateLimitStore.class);
    private final List<Thread> started = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS, work -> {
        Thread thread = new Thread(work);
        started.add(thread);
        return thread;
    });

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
        database.close();
    }

    private int take(RateKey key) {
        return limits.take(new Ask(key, LIMIT, 1, 1)).granted();
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private void whileTheRowIsLocked(Work work) throws Exception {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(ROW);
            work.run();
            connection.rollback();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** All wait together, and none of them alone after it. */
    @Test
    void aRowThatStaysLockedIsWaitedForOnce() throws Exception {
        take(KEY);
        assertThat(database.column("SELECT proconfig::text FROM pg_proc WHERE proname = 'muster_take_permits'"))
                .singleElement()
                .asString()
                .contains("lock_timeout=3s");
        database.execute("ALTER FUNCTION muster_take_permits SET lock_timeout = '300ms'");
        whileTheRowIsLocked(() -> {
            statements.set(0);
            CountDownLatch allWait = new CountDownLatch(1);
            beforeStatement = () -> awaitGo(allWait);
            Callable<Integer> call = () -> take(KEY);
            List<Future<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                calls.add(threads.submit(call));
            }
            await("one caller before its statement, the others behind it")
                    .until(() -> started.size() == CALLERS
                            && started.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
            allWait.countDown();
            for (Future<Integer> failed : calls) {
                assertThatThrownBy(failed::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(DatabaseUnavailable.class)
                        .hasMessageContaining("rate limit global/sms");
            }
            assertThat(statements)
                    .as("that of the first caller, and one of all others together")
                    .hasValue(2);
        });
        assertThat(take(KEY)).isEqualTo(1);
        assertThat(take(KEY)).isZero();
    }

    private static void awaitGo(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Otherwise two nodes would give out the same permit. */
    @Test
    void whoWaitsForTheRowCountsWhatWasTakenMeanwhile() throws Exception {
        take(KEY);
        // However long the commit below takes, the second one does not give up.
        database.execute("ALTER FUNCTION muster_take_permits SET lock_timeout = '5min'");
        try (Connection first = database.transaction();
                Statement statement = first.createStatement()) {
            statement.execute("SELECT * FROM muster_take_permits(ARRAY['global/sms'], ARRAY["
                    + LIMIT.window().toMillis()
                    + "::bigint], ARRAY[2::bigint], ARRAY[1::bigint], ARRAY[1::bigint])");
            Future<Integer> second = threads.submit(() -> take(KEY));
            await().until(() -> second.isDone() || aCallerWaits());
            first.commit();
            assertThat(second.get()).as("the first has taken the last permit").isZero();
        }
    }

    private boolean aCallerWaits() {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE '%muster_take_permits%'")
                == 1;
    }

    @Test
    void refusalsNeitherWaitNorWrite() throws Exception {
        take(KEY);
        take(KEY);
        String version = database.column("SELECT ctid || ' ' || xmin || ' ' || xmax FROM muster_rate_limits")
                .get(0);
        assertThat(take(KEY)).isZero();
        assertThat(database.column("SELECT ctid || ' ' || xmin || ' ' || xmax FROM muster_rate_limits"))
                .containsExactly(version);

        whileTheRowIsLocked(() -> assertThat(take(KEY)).isZero());
    }

    /** It would not see what others have counted since it began. */
    @Test
    void nothingIsCountedInATransactionWithAnOldSnapshot() throws Exception {
        for (int level : new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            try (Connection connection = database.connection()) {
                connection.setTransactionIsolation(level);
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(
                                "SELECT * FROM muster_take_permits("
                                        + "ARRAY['global/sms'], ARRAY[1000::bigint], ARRAY[5::bigint], ARRAY[1::bigint], ARRAY[1::bigint])")) {
                    assertThat(rows.next()).isFalse();
                }
            }
        }
        assertThat(database.number("SELECT count(*) FROM muster_rate_limits")).isZero();
    }

    @Test
    void aCallerThatIsInterruptedGetsItsAnswer() {
        Thread.currentThread().interrupt();
        try {
            assertThat(take(KEY)).isEqualTo(1);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(take(KEY)).isEqualTo(1);
        assertThat(take(KEY)).isZero();
    }

    /** No index changes, so that a new version of the row takes the place of an old one on the same page. */
    @Test
    void aKeyThatIsCountedOftenStaysSmall() {
        RateLimit many = new RateLimit(1_000_000, Duration.ofDays(366));
        for (int i = 0; i < 600; i++) {
            limits.take(new Ask(KEY, many, 1, 1));
            if (i % 20 == 0) {
                // While they are open, the server keeps old versions.
                database.awaitOlderTransactions();
            }
        }
        assertThat(database.column("SELECT used FROM muster_rate_limits")).containsExactly("600");
        assertThat(database.number("SELECT pg_relation_size('muster_rate_limits') / 8192"))
                .isLessThanOrEqualTo(3);
    }
}
