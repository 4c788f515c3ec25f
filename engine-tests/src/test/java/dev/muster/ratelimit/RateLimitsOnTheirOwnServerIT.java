package dev.muster.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.ratelimit.RateLimitedNodes.Result;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that crashes or is away, and how many statements it gets. */
class RateLimitsOnTheirOwnServerIT {
    private static final Logger log = LoggerFactory.getLogger(RateLimitsOnTheirOwnServerIT.class);
    private static final int N = 1_000;
    private static final RateLimit LIMIT = new RateLimit(N, RateLimitedNodes.WINDOW);
    private static final RateKey KEY = RateKey.global("sms");

    private EmbeddedPostgres server;
    private String url;

    @BeforeEach
    void startServer() {
        server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .start();
        url = server.databases().create("limits");
        try (Muster muster =
                Muster.builder().config(MusterConfig.defaults()).database(url).build()) {
            muster.migrate();
        }
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** How many statements counted permits since the last call. */
    private long statements() throws SQLException {
        long calls = number("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
                + " WHERE query LIKE '%muster_take_permits%' AND query NOT LIKE '%pg_stat_statements%'");
        number("SELECT 1 FROM pg_stat_statements_reset()");
        return calls;
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "reserved"})
    void aCrashOfTheDatabaseForgetsNothingThatWasAnswered(String mode) throws Exception {
        try (RateLimitedNodes nodes = new RateLimitedNodes(url, mode, 5)) {
            int n = Sizes.of(200, N);
            RateLimit few = new RateLimit(n, RateLimitedNodes.WINDOW);
            AtomicInteger calls = new AtomicInteger();
            Result result = nodes.call(KEY, few, 10 * n, 4, () -> {
                if (calls.incrementAndGet() == n / 2) {
                    server.restartImmediate();
                }
                return true;
            });
            // With a server that is back, each node asks again until there is nothing left.
            result = result.and(nodes.call(KEY, few, 10 * n, 4));

            // Calls that are lost may have been counted: each for itself, or as one block of a twentieth.
            int each = mode.equals("reserved") ? n / 20 : 1;
            log.info("{}: {}", mode, result);
            assertThat(result.allowed()).isLessThanOrEqualTo(n);
            assertThat(result.allowed() + result.lost() * each).isGreaterThanOrEqualTo(n);
            assertThat(number("SELECT used FROM muster_rate_limits")).isEqualTo(n);
        }
    }

    @Test
    void reservedNeedsATwentiethOfTheStatementsOfStrict() throws Exception {
        number("SELECT 1 FROM (SELECT 1) one");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION pg_stat_statements");
        }
        try (RateLimitedNodes strict = new RateLimitedNodes(url, "strict", 1);
                RateLimitedNodes reserved = new RateLimitedNodes(url, "reserved", 1)) {
            statements();
            RateLimitedNodes.callAlone(strict.get(0), RateKey.global("strict"), LIMIT, N + 200);
            long ofStrict = statements();
            RateLimitedNodes.callAlone(reserved.get(0), RateKey.global("reserved"), LIMIT, N + 200);
            long ofReserved = statements();

            log.info("statements for {} calls: strict {}, reserved {}", N + 200, ofStrict, ofReserved);
            assertThat(ofStrict).isEqualTo(N + 200);
            assertThat(ofReserved).isPositive().isLessThanOrEqualTo(ofStrict / 20);
        }
    }

    /** The first caller's statement waits for a row that somebody holds; all others become the next one. */
    @Test
    void callersThatWaitForAStatementShareTheNextOne() throws Exception {
        RateKey key = RateKey.global("together");
        int callers = 16;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try (RateLimitedNodes strict = new RateLimitedNodes(url, "strict", 1);
                Connection holder = DriverManager.getConnection(url);
                Statement statement = holder.createStatement()) {
            statement.execute("CREATE EXTENSION pg_stat_statements");
            // Long enough for all callers to come.
            statement.execute("ALTER FUNCTION muster_take_permits SET lock_timeout = '5min'");
            assertThat(strict.get(0).tryAcquire(key, LIMIT).allowed()).isTrue();
            holder.setAutoCommit(false);
            statement.execute("SELECT FROM muster_rate_limits FOR UPDATE");
            statements();
            List<Thread> calling = new CopyOnWriteArrayList<>();
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                answers.add(threads.submit(() -> {
                    calling.add(Thread.currentThread());
                    return strict.get(0).tryAcquire(key, LIMIT).allowed();
                }));
            }
            await("all but one wait for the one whose statement is under way")
                    .until(() -> number("SELECT count(*) FROM pg_stat_activity"
                                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                                    == 1
                            && calling.size() == callers
                            && calling.stream()
                                            .filter(RateLimitsOnTheirOwnServerIT::waits)
                                            .count()
                                    == callers - 1);
            holder.rollback();

            for (Future<Boolean> answer : answers) {
                assertThat(answer.get(90, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(statements()).isEqualTo(2);
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void withoutTheDatabaseNothingIsAllowedThatItHadToDecide() {
        Duration patience = Duration.ofSeconds(1);
        try (RateLimitedNodes strict = new RateLimitedNodes(url, "strict", patience);
                RateLimitedNodes reserved = new RateLimitedNodes(url, "reserved", patience);
                RateLimitedNodes hybrid = new RateLimitedNodes(url, "hybrid", patience)) {
            assertThat(reserved.get(0).tryAcquire(KEY, LIMIT).allowed()).isTrue();
            server.stopImmediate();

            for (RateLimitedNodes nodes : new RateLimitedNodes[] {strict, hybrid}) {
                assertThatThrownBy(() -> nodes.get(0).tryAcquire(KEY, LIMIT))
                        .isInstanceOf(DatabaseUnavailable.class)
                        .hasMessageContaining("rate limit global/sms")
                        .hasMessageContaining("the caller has no permit");
            }
            assertThat(hybrid.get(0)
                            .tryAcquire(RateKey.user("login", "ada"), LIMIT)
                            .allowed())
                    .isTrue();
            assertThat(RateLimitedNodes.callAlone(reserved.get(0), KEY, LIMIT, N / 20))
                    .as("what is left of its block")
                    .isEqualTo(new Result(N / 20 - 1, 0, 1));
            server.start();
            await().ignoreExceptions()
                    .until(() -> strict.get(0).tryAcquire(KEY, LIMIT).allowed());
        }
    }
}
