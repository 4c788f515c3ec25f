package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.config.MusterConfig;
import dev.muster.contracts.LeaderStoreContract;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderStore;
import dev.muster.leader.LeaderStore.Candidate;
import dev.muster.leader.LeaderTerm;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresLeaderStoreIT extends LeaderStoreContract {
    private FreshDatabase database;
    private final Map<LeaderStore, String> names = new LinkedHashMap<>();
    private final List<PostgresStore> stores = new ArrayList<>();
    private Duration offset = Duration.ZERO;

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

    @Override
    protected LeaderStore open() {
        return open("public");
    }

    private LeaderStore open(String schema) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        String name = "node_" + stores.size();
        source.setApplicationName(name);
        MusterConfig config = MusterConfig.defaults().with("database.schema", schema);
        PostgresStore store = new PostgresStore(source, source, () -> {}, config);
        store.connect(Store.Events.ignored());
        stores.add(store);
        names.put(store.leaders(), name);
        return store.leaders();
    }

    @Override
    protected void advance(Duration by) {
        offset = offset.plus(by);
        database.execute("CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " 'SELECT clock_timestamp() + interval ''" + offset.toMillis() + " milliseconds'''");
    }

    @Override
    protected void kill(LeaderStore store) {
        String name = names.get(store);
        // It is gone for good: a process would not come back either.
        Thread closing = new Thread(stores.get(List.copyOf(names.keySet()).indexOf(store))::close);
        database.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" + name + "'");
        closing.start();
    }

    @Override
    protected void mark(Connection tx) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            statement.execute("INSERT INTO public.mark VALUES (1)");
        }
    }

    @Override
    protected long marks() {
        return database.number("SELECT count(*) FROM mark");
    }

    private static Candidate candidate(String node, Duration lease) {
        LeaderConfig config = new LeaderConfig(Strategy.ADVISORY, Duration.ofSeconds(5), lease, lease.dividedBy(3));
        return new Candidate(node, UUID.randomUUID(), Set.of(LeaderRole.values()), config);
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
        advance(Duration.ofSeconds(16));

        LeaderTerm term = other.takeOver(b, LeaderRole.SCHEDULER).orElseThrow();

        assertThat(term.term()).isEqualTo(2);
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
    void theEndOfAReignWakesTheOthers() throws InterruptedException {
        LeaderStore one = open();
        LeaderStore two = open();
        Candidate a = candidate("a", Duration.ofSeconds(15));
        one.takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
        two.check(candidate("b", Duration.ofSeconds(15)));
        CountDownLatch woken = new CountDownLatch(1);
        two.onVacancy(woken::countDown);

        one.release(a, Set.of(LeaderRole.SCHEDULER));

        assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void twoInstallationsInOneDatabaseDoNotMeet() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        MusterConfig config = MusterConfig.defaults().with("database.schema", "second");
        try (PostgresStore store = new PostgresStore(source, source, () -> {}, config)) {
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
    void aLeaderFrozenInsideAFencedTransactionIsEndedInHalfALease() throws Exception {
        LeaderStore frozen = open();
        LeaderStore other = open();
        Duration lease = Duration.ofSeconds(1);
        LeaderTerm term =
                frozen.takeOver(candidate("a", lease), LeaderRole.SCHEDULER).orElseThrow();
        Candidate b = candidate("b", lease);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch replaced = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        Thread leader = new Thread(() -> {
            try {
                frozen.fenced(term, lease.dividedBy(2), tx -> {
                    mark(tx);
                    inside.countDown();
                    await().atMost(Duration.ofSeconds(30)).until(() -> replaced.getCount() == 0);
                    return null;
                });
            } catch (RuntimeException e) {
                thrown.add(e);
            }
        });
        leader.start();
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();

        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> other.takeOver(b, LeaderRole.SCHEDULER).isPresent());
        replaced.countDown();
        leader.join(10_000);

        assertThat(thrown).hasSize(1);
        assertThat(marks()).isZero();
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
