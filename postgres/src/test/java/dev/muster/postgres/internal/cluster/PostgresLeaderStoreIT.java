package dev.muster.postgres.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.config.MusterConfig;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.leader.LeaderStore.Candidate;
import dev.muster.internal.provider.Store;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What PostgreSQL adds to the contract of leaders: advisory locks, sessions that are ended, and frozen transactions. */
class PostgresLeaderStoreIT {
    private FreshDatabase database;
    private final Map<LeaderStore, String> names = new LinkedHashMap<>();
    private final List<PostgresStore> stores = new ArrayList<>();

    @BeforeEach
    void openDatabase() {
        database = new FreshDatabase();
        database.execute("CREATE TABLE mark (id int)");
    }

    @AfterEach
    void closeAll() {
        stores.forEach(PostgresStore::close);
        database.close();
    }

    private LeaderStore open() {
        return open("public");
    }

    private LeaderStore open(String schema) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        String name = "node_" + stores.size();
        source.setApplicationName(name);
        MusterConfig config = MusterConfig.defaults().with("database.schema", schema);
        PostgresStore store = new PostgresStore(source, config);
        store.connect(Store.Events.ignored());
        stores.add(store);
        names.put(store.leaders(), name);
        return store.leaders();
    }

    private void mark(Connection tx) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            statement.execute("INSERT INTO public.mark VALUES (1)");
        }
    }

    private long marks() {
        return database.number("SELECT count(*) FROM mark");
    }

    private static Candidate candidate(String node, Duration lease) {
        LeaderConfig config = new LeaderConfig(Strategy.ADVISORY, Duration.ofSeconds(5), lease, lease.dividedBy(3));
        return new Candidate(node, UUID.randomUUID(), Set.of(LeaderRole.values()), config);
    }

    /** A takeover ends the session of the leader before; while that one has not ended yet, it is tried again. */
    private static LeaderTerm takeOver(LeaderStore store, Candidate candidate) {
        return await().until(() -> store.takeOver(candidate, LeaderRole.SCHEDULER), Optional::isPresent)
                .orElseThrow();
    }

    private long locks() {
        return database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    @Test
    void aLeaderWhoseLeaseRanOutLosesItsSessionToo() {
        LeaderStore frozen = open();
        LeaderStore other = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        Candidate b = candidate("b", Duration.ofSeconds(15));
        frozen.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
        database.advance(Duration.ofSeconds(16));

        assertThat(takeOver(other, b).term()).isEqualTo(2);
        assertThat(locks()).as("the new leader's lock alone").isEqualTo(1);
        assertThat(database.column("SELECT application_name FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid"
                        + " WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname ="
                        + " current_database())"))
                .containsExactly(names.get(other));
    }

    @Test
    void checkingAgainAndAgainTakesTheLockOnceAndTheReleaseGivesItBack() {
        LeaderStore store = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        store.check(a);
        store.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
        for (int i = 0; i < 5; i++) {
            store.check(a);
        }
        assertThat(locks()).isEqualTo(3);

        store.release(a, Set.of(LeaderRole.SCHEDULER));

        assertThat(locks()).isZero();
    }

    @Test
    void twoInstallationsInOneDatabaseDoNotMeet() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        MusterConfig config = MusterConfig.defaults().with("database.schema", "second");
        try (PostgresStore store = new PostgresStore(source, config)) {
            store.migrateUp();
        }
        LeaderStore here = open();
        LeaderStore there = open("second");

        LeaderTerm first = here.takeOver(candidate("a", Duration.ofSeconds(15)), LeaderRole.SCHEDULER)
                .orElseThrow();
        LeaderTerm second = there.takeOver(candidate("b", Duration.ofSeconds(15)), LeaderRole.SCHEDULER)
                .orElseThrow();

        assertThat(first.term()).isEqualTo(1);
        assertThat(second.term()).isEqualTo(1);
        assertThat(locks()).isEqualTo(2);
    }

    /** Standing still between two statements of a fenced transaction, past its lease: the server ends it. */
    @Test
    void aLeaderFrozenInsideAFencedTransactionIsEndedWhenItsTimeIsOver() throws Exception {
        LeaderStore frozen = open();
        LeaderStore other = open();
        LeaderTerm term = frozen.takeOver(candidate("a", Duration.ofSeconds(15)), LeaderRole.SCHEDULER)
                .orElseThrow();
        Candidate b = candidate("b", Duration.ofSeconds(15));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch replaced = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        Thread leader = new Thread(() -> {
            try {
                frozen.fenced(term, Duration.ofSeconds(3), tx -> {
                    mark(tx);
                    inside.countDown();
                    await().atMost(Duration.ofMinutes(4)).until(() -> replaced.getCount() == 0);
                    return null;
                });
            } catch (RuntimeException e) {
                thrown.add(e);
            }
        });
        leader.start();
        assertThat(inside.await(1, TimeUnit.MINUTES)).isTrue();
        database.advance(Duration.ofSeconds(16));

        takeOver(other, b);
        replaced.countDown();
        leader.join(60_000);

        assertThat(thrown).hasSize(1);
        assertThat(thrown.get(0)).isNotInstanceOf(ConditionTimeoutException.class);
        assertThat(marks()).isZero();
    }

    /** The old leader is gone, but what it left open keeps the row: whoever has the lock must wait, and be let wait. */
    @Test
    void candidatesThatWaitForAFencedTransactionDoNotEndEachOther() throws Exception {
        LeaderStore old = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        LeaderTerm term = old.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
        Map<LeaderStore, Candidate> others = new LinkedHashMap<>();
        for (String node : List.of("b", "c")) {
            LeaderStore other = open();
            Candidate candidate = candidate(node, Duration.ofSeconds(15));
            other.check(candidate);
            others.put(other, candidate);
        }
        List<String> sessions = controlSessions();
        assertThat(sessions).hasSize(3);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Thread leader = new Thread(() -> old.fenced(term, Duration.ofMinutes(2), tx -> {
            mark(tx);
            inside.countDown();
            await().until(() -> go.getCount() == 0);
            return null;
        }));
        leader.start();
        assertThat(inside.await(1, TimeUnit.MINUTES)).isTrue();

        database.advance(Duration.ofSeconds(20));
        for (int i = 0; i < 5; i++) {
            others.forEach((store, candidate) -> {
                store.check(candidate);
                assertThat(store.takeOver(candidate, LeaderRole.SCHEDULER)).isEmpty();
            });
        }
        await("the leader's session was ended, the candidates' were not")
                .untilAsserted(() -> assertThat(controlSessions())
                        .containsAll(sessions.subList(1, 3))
                        .doesNotContain(sessions.get(0)));
        go.countDown();
        leader.join(60_000);

        assertThat(marks()).as("it was in time").isEqualTo(1);
        assertThat(others.entrySet().stream()
                        .filter(other -> other.getKey()
                                .takeOver(other.getValue(), LeaderRole.SCHEDULER)
                                .isPresent()))
                .hasSize(1);
    }

    /** Which process serves each store's control connection, in the order in which they were opened. */
    private List<String> controlSessions() {
        return database.column("SELECT pid || ' ' || backend_start FROM pg_stat_activity WHERE datname ="
                + " current_database() AND application_name LIKE 'node_%' AND state = 'idle' ORDER BY backend_start");
    }

    /** A leader whose connection broke continues with its term in another session: that one is the leader's now. */
    @Test
    void theSessionThatRenewedLastIsTheOneThatIsEnded() {
        LeaderStore leader = open();
        LeaderStore other = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        leader.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
        database.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE"
                + " datname = current_database() AND application_name = '" + names.get(leader) + "'");
        await().ignoreExceptions()
                .until(() -> leader.check(a).stream()
                        .anyMatch(standing -> standing.mine() && standing.role() == LeaderRole.SCHEDULER));
        assertThat(locks()).isEqualTo(3);
        database.advance(Duration.ofSeconds(16));

        takeOver(other, candidate("b", Duration.ofSeconds(15)));
    }

    /** Session locks outlive the statement that took them, also when it failed. */
    @Test
    void aLockThatWasTakenTwiceIsGivenBack() {
        LeaderStore store = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        database.execute("UPDATE muster_leaders SET node_id = 'gone', incarnation = gen_random_uuid()");
        database.execute("CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN"
                + " IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) THEN"
                + " RAISE EXCEPTION 'no clock'; END IF; RETURN clock_timestamp(); END $$");
        assertThatThrownBy(() -> store.check(a)).hasMessageContaining("no clock");
        assertThat(locks()).as("what the check that failed has taken").isPositive();
        database.advance(Duration.ZERO);
        store.check(a);
        store.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();

        store.release(a, Set.of(LeaderRole.SCHEDULER));

        assertThat(locks()).isZero();
    }

    @Test
    void aStoreThatIsClosedLeavesNoLockBehind() {
        LeaderStore store = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        store.check(a);
        store.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();

        stores.get(0).close();

        assertThat(locks()).as("nothing is left on a pool's connection").isZero();
    }
}
