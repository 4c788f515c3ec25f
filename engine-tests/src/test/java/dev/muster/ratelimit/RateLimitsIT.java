package dev.muster.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.internal.node.NodeContext;
import dev.muster.ratelimit.RateLimitedNodes.Result;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many calls five nodes allow together. */
class RateLimitsIT {
    private static final int NODES = 5;
    private static final int N = 200;
    private static final RateLimit LIMIT = new RateLimit(N, RateLimitedNodes.WINDOW);
    private static final RateKey GLOBAL = RateKey.global("sms");
    private static final RateKey USER = RateKey.user("login", "ada");

    private final List<AutoCloseable> opened = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        database.close();
    }

    private RateLimitedNodes nodes(String mode, int count) {
        RateLimitedNodes nodes = new RateLimitedNodes(database.url(), mode, count);
        opened.add(nodes);
        return nodes;
    }

    private Muster muster(MusterBuilder builder) {
        Muster muster = builder.dataSource(database.dataSource()).build();
        opened.add(0, muster);
        return muster;
    }

    private static MusterBuilder builder(String mode) {
        return Muster.builder().config(MusterConfig.defaults().with("rate_limit.mode", mode));
    }

    private long used(RateKey key) {
        return database.number("SELECT coalesce(sum(used), 0) FROM muster_rate_limits WHERE key = '" + key + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "reserved"})
    void ofTenTimesAsManyCallsOfFiveNodesExactlyNAreAllowed(String mode) {
        for (RateKey key : List.of(GLOBAL, USER)) {
            Result result = nodes(mode, NODES).call(key, LIMIT, 10 * N, 4);

            assertThat(result).isEqualTo(new Result(N, 9 * N, 0));
        }
    }

    @Test
    void strictAndReservedNodesCountTogether() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            RateLimitedNodes strict = nodes("strict", 2);
            RateLimitedNodes reserved = nodes("reserved", 2);
            Future<Result> one = threads.submit(() -> strict.call(GLOBAL, LIMIT, 10 * N, 2));
            Future<Result> other = threads.submit(() -> reserved.call(GLOBAL, LIMIT, 10 * N, 2));

            assertThat(one.get().allowed() + other.get().allowed()).isEqualTo(N);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aNodeThatDiesWastesItsBlockAndNoMore() {
        RateLimitedNodes nodes = nodes("reserved", NODES);
        Result before = RateLimitedNodes.callAlone(nodes.get(0), GLOBAL, LIMIT, 3);
        nodes.kill(0);

        Result others = new Result(0, 0, 0);
        for (int i = 1; i < NODES; i++) {
            others = others.and(RateLimitedNodes.callAlone(nodes.get(i), GLOBAL, LIMIT, 10 * N));
        }

        int unused = N / 20 - 3;
        assertThat(before.allowed()).isEqualTo(3);
        assertThat(others.allowed()).isEqualTo(N - 3 - unused);
        assertThat(used(GLOBAL)).isEqualTo(N);
    }

    /** Its calls that are under way break, and may have been counted. */
    @ParameterizedTest
    @ValueSource(strings = {"strict", "reserved"})
    void aNodeThatDiesUnderLoadLetsNobodyTakeMoreThanN(String mode) {
        RateLimitedNodes nodes = nodes(mode, NODES);
        AtomicInteger calls = new AtomicInteger();
        Result result = nodes.call(GLOBAL, LIMIT, 10 * N, 4, () -> {
            if (calls.incrementAndGet() == N / 4) {
                nodes.kill(NODES - 1);
            }
            return true;
        });

        int block = mode.equals("reserved") ? N / 20 : 0;
        assertThat(result.allowed()).isLessThanOrEqualTo(N);
        assertThat(result.allowed() + block + result.lost() * Math.max(1, block))
                .isGreaterThanOrEqualTo(N);
        assertThat(used(GLOBAL)).isEqualTo(N);
    }

    @Test
    void hybridCountsLocalKeysPerNodeAndGlobalOnesForAll() {
        RateLimitedNodes nodes = nodes("hybrid", NODES);

        assertThat(nodes.call(USER, LIMIT, 10 * N, 4)).isEqualTo(new Result(N * NODES, 5 * N, 0));
        assertThat(nodes.call(RateKey.ip("login", "192.0.2.7"), LIMIT, 10 * N, 4)
                        .allowed())
                .isEqualTo(N * NODES);
        assertThat(nodes.call(GLOBAL, LIMIT, 10 * N, 4)).isEqualTo(new Result(N, 9 * N, 0));
        assertThat(nodes.call(RateKey.tenant("api", "acme"), LIMIT, 10 * N, 4).allowed())
                .isEqualTo(N);
        assertThat(database.column("SELECT key FROM muster_rate_limits ORDER BY key"))
                .containsExactly("global/sms", "tenant/api/acme");
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "reserved"})
    void clocksOfNodesThatAreTenMinutesOffChangeNothing(String mode) {
        long tenMinutes = Duration.ofMinutes(10).toNanos();
        RateLimitedNodes nodes =
                new RateLimitedNodes(database.url(), mode, NODES, node -> node % 2 == 0 ? tenMinutes : -tenMinutes);
        opened.add(nodes);

        assertThat(nodes.call(GLOBAL, LIMIT, 10 * N, 4)).isEqualTo(new Result(N, 9 * N, 0));
    }

    /** A node that finds itself behind the end of its block asks, and continues with it if the window is still on. */
    @Test
    void aClockThatJumpsAheadLosesNoPermit() {
        AtomicLong jumped = new AtomicLong();
        RateLimitedNodes nodes = new RateLimitedNodes(database.url(), "reserved", 1, node -> jumped.get());
        opened.add(nodes);
        int allowed = 0;
        for (int i = 0; i < 2 * N; i++) {
            if (i % 7 == 0) {
                jumped.addAndGet(2 * RateLimitedNodes.WINDOW.toNanos() / N);
            }
            allowed += nodes.get(0).tryAcquire(GLOBAL, LIMIT).allowed() ? 1 : 0;
        }

        assertThat(allowed).isEqualTo(N);
    }

    /** Where the database has another default, what others have counted would not be seen. */
    @RepeatedTest(2)
    void theDefaultIsolationLevelDoesNotMatter() {
        String name = database.column("SELECT current_database()").get(0);
        for (String level : List.of("repeatable read", "serializable")) {
            database.execute("ALTER DATABASE " + name + " SET default_transaction_isolation = '" + level + "'");

            assertThat(nodes("strict", NODES).call(RateKey.global(level.replace(' ', '_')), LIMIT, 10 * N, 2))
                    .isEqualTo(new Result(N, 9 * N, 0));
        }
    }

    /** Its sessions have limits of their own after the first hundred statements. */
    @Test
    void aPoolOfMustersOwnMakesNoDifference() {
        Muster muster = builder("strict").database(database.url()).build();
        opened.add(0, muster);

        assertThat(RateLimitedNodes.callAlone(muster.rateLimits(), GLOBAL, LIMIT, 2 * N))
                .isEqualTo(new Result(N, N, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "reserved"})
    void aPoolerAndASchemaOfItsOwnMakeNoDifference(String mode) {
        Muster muster = muster(builder(mode)
                .set("database.profile", "portable")
                .set("leader.strategy", "lease")
                .set("worker.wakeup", "none")
                .set("database.schema", "elsewhere"));
        database.execute("CREATE SCHEMA elsewhere");
        muster.migrate();

        assertThat(RateLimitedNodes.callAlone(muster.rateLimits(), GLOBAL, LIMIT, 2 * N))
                .isEqualTo(new Result(N, N, 0));
        assertThat(database.number("SELECT used FROM elsewhere.muster_rate_limits"))
                .isEqualTo(N);
        assertThat(used(GLOBAL)).isZero();
    }

    @Test
    void theAnswerSaysWhatIsLeftAndWhenToComeBack() {
        for (String mode : List.of("strict", "reserved", "hybrid")) {
            RateLimits limits = muster(builder(mode)).rateLimits();
            RateLimit three = new RateLimit(3, RateLimitedNodes.WINDOW);
            RateKey key = RateKey.user("upload", mode);

            assertThat(limits.tryAcquire(key, three)).isEqualTo(Decision.allow(2));
            assertThat(limits.tryAcquire(key, three, 2)).isEqualTo(Decision.allow(0));
            Decision refused = limits.tryAcquire(key, three);
            assertThat(refused.allowed()).isFalse();
            assertThat(refused.remaining()).isZero();
            assertThat(refused.retryAfter())
                    .as(mode)
                    .isPositive()
                    .isLessThanOrEqualTo(RateLimitedNodes.WINDOW.plusDays(1));
        }
    }

    @Test
    void anApplicationsOwnBackendDecides() {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        MusterBuilder builder = builder("strict").rateLimiter((key, limit, permits) -> {
            asked.add(key + " " + permits + " of " + limit.permits());
            return Decision.refuse(0, Duration.ofSeconds(7));
        });
        RateLimits early = builder.rateLimits();
        assertThatThrownBy(() -> early.tryAcquire(USER, LIMIT)).isInstanceOf(MusterException.class);
        Muster muster = muster(builder);

        assertThat(muster.rateLimits().tryAcquire(USER, LIMIT, 2)).isEqualTo(Decision.refuse(0, Duration.ofSeconds(7)));
        assertThat(early.tryAcquire(USER, LIMIT).allowed()).isFalse();
        assertThatThrownBy(() -> early.tryAcquire(USER, LIMIT, N + 1)).isInstanceOf(InvalidRateLimit.class);
        assertThat(muster.api(NodeContext.class).rateLimits()).isSameAs(muster.rateLimits());
        assertThat(asked).containsExactly("user/login/ada 2 of 200", "user/login/ada 1 of 200");
        assertThat(used(USER)).isZero();
    }
}
