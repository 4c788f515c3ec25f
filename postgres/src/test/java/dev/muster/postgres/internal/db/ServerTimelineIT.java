package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.leader.LeaderStore.Candidate;
import dev.muster.internal.leader.LeaderStore.RoleRow;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.provider.Store;
import dev.muster.job.Fence;
import dev.muster.job.JobId;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.StaleLeader;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.runtime.DatabaseUnavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Muster's own count of servers. That the tables are on another server is played by what they say of the last one. */
class ServerTimelineIT extends OnFreshDatabase {
    private static final long SECONDS_OF_2024 = 1_700_000_000;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private void found(String what) {
        database.execute("UPDATE muster_server SET " + what);
    }

    private long timeline() {
        return database.number("SELECT muster_timeline()");
    }

    private long token(String sequence) {
        return database.number("SELECT nextval('" + sequence + "')");
    }

    private Fence lock(PostgresStore store, String name) {
        return store.port(LockStore.class).acquire(name, "a", MINUTE).orElseThrow();
    }

    @Test
    void itStartsAsPostgresDoesAndStaysWhileTheServerDoes() {
        assertThat(timeline()).isEqualTo(1);
        assertThat(timeline()).isEqualTo(1);
        assertThat(token("muster_job_token_seq")).isEqualTo(1);
    }

    /** Whoever reads the log of a new server should find no errors in it. */
    @Test
    void whereThereAreNoTablesNothingFails() throws SQLException {
        List<Throwable> failures = new ArrayList<>();
        ServerTimeline timeline = new ServerTimeline(new SqlFiles("not_there_yet"), false);
        try (Connection connection = database.connection()) {
            Connection watched = failuresInto(failures, Connection.class, connection);
            timeline.require(watched);
            timeline.require(watched);
        }

        assertThat(failures).isEmpty();
        assertThat(timeline.newest()).isZero();
    }

    private static <T> T failuresInto(List<Throwable> failures, Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                ServerTimelineIT.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Statement statement && method.getReturnType() == Statement.class
                                ? failuresInto(failures, Statement.class, statement)
                                : result;
                    } catch (InvocationTargetException e) {
                        failures.add(e.getCause());
                        throw e.getCause();
                    }
                }));
    }

    /** The row was not replicated by the server in between, which was promoted and lost: the count is still above its. */
    @Test
    void itGoesWithPostgresAtAPromotion() {
        found("timeline = 7, wal_timeline = -2");
        assertThat(timeline()).as("what is not a timeline").isGreaterThan(SECONDS_OF_2024);

        found("timeline = 7, wal_timeline = 1");
        database.execute(
                "CREATE OR REPLACE FUNCTION muster_wal_timeline() RETURNS bigint LANGUAGE sql AS 'SELECT 3::bigint'");
        assertThat(timeline()).isEqualTo(9);
        assertThat(database.number("SELECT wal_timeline FROM muster_server")).isEqualTo(3);
    }

    @Test
    void itGrowsWherePostgresStartsAgainAndWhereTheTablesAreACopy() {
        PostgresStore store = database.store();
        found("timeline = 5");
        Fence before = lock(store, "before");
        for (String what : List.of("wal_timeline = 5", "wal_timeline = 0", "system_identifier = 1", "table_oid = 1")) {
            database.execute("ALTER SEQUENCE muster_fence_seq RESTART; ALTER SEQUENCE muster_job_token_seq RESTART");
            found("timeline = 5, " + what);
            Fence after = lock(database.store(), "lock-" + what.replace(" = ", ""));
            assertThat(after).as(what).isGreaterThan(before);
            assertThat(after.timeline()).as(what).isGreaterThan(SECONDS_OF_2024);
            assertThat(token("muster_job_token_seq")).as(what).isGreaterThan(SECONDS_OF_2024 * 1_000_000);
        }
        found("timeline = 3000000000, wal_timeline = 5");
        assertThat(timeline()).as("also when the clock was set back").isEqualTo(3_000_000_001L);
        database.execute("DELETE FROM muster_server");
        assertThat(timeline()).as("a copy without the row").isGreaterThan(SECONDS_OF_2024);
    }

    @Test
    void noTokenIsIssuedTwiceHoweverManyWereLost() {
        database.execute("SELECT setval('muster_job_token_seq', " + Long.MAX_VALUE / 2 + ")");
        found("wal_timeline = 5");
        timeline();
        assertThat(token("muster_job_token_seq")).isGreaterThan(Long.MAX_VALUE / 2 + 1_000_000);
    }

    @Test
    void nodesThatFindOutTogetherRaiseItOnce() throws Exception {
        found("timeline = 3000000000, wal_timeline = 5");
        ExecutorService nodes = Executors.newFixedThreadPool(8);
        try {
            List<Future<Long>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                answers.add(nodes.submit(this::timeline));
            }
            for (Future<Long> answer : answers) {
                assertThat(answer.get()).isEqualTo(3_000_000_001L);
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    @Test
    void whoMayNotReadTheIdentifierOfTheClusterGoesByTheRest() throws SQLException {
        String role = "no_control_" + UUID.randomUUID().toString().replace("-", "");
        database.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; CREATE ROLE " + role
                + "; ALTER FUNCTION muster_timeline() OWNER TO " + role + "; GRANT CREATE, USAGE ON SCHEMA public TO "
                + role
                + "; GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role
                + "; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO "
                + role);
        try {
            assertThat(timeline()).isEqualTo(1);
            found("wal_timeline = 5");
            assertThat(timeline()).isGreaterThan(SECONDS_OF_2024);
            assertThat(database.column("SELECT system_identifier::text FROM muster_server"))
                    .containsExactly((String) null);
        } finally {
            database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
        }
    }

    /** An open connection that was asked before notices, too. */
    @Test
    void aStoreAtWorkContinuesByItself() {
        PostgresStore store = database.store();
        store.jobReader().find(JobId.next());
        Fence before = lock(store, "before");

        found("wal_timeline = 5");
        Database sessions = new Database(database.dataSource(), new SqlFiles("public"));

        assertThat(sessions.<Long>inTransaction(connection -> timelineOf(connection)))
                .isGreaterThan(before.timeline());
        assertThat(lock(store, "after")).isGreaterThan(before);
    }

    private static long timelineOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT timeline FROM muster_server")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** One half of the pool leads to the old primary, the other to the new one. */
    @Test
    void nothingIsWrittenOnceANewerServerWasMet() throws SQLException {
        try (FreshDatabase newer = new FreshDatabase();
                FreshDatabase old = new FreshDatabase()) {
            newer.execute("UPDATE muster_server SET timeline = 2");
            old.execute("CREATE TABLE written (id int)");
            FreshDatabase[] next = {old};
            Database node = new Database(
                    WatchedConnections.source(() -> next[0].dataSource().getConnection()), new SqlFiles("public"));
            Database.Work<Integer> write = connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.executeUpdate("INSERT INTO written VALUES (1)");
                }
            };
            assertThat(node.inRawTransaction(write)).isEqualTo(1);

            next[0] = newer;
            node.inRawTransaction(ServerTimelineIT::timelineOf);
            next[0] = old;

            String why = "an old primary came back after a failover";
            assertThatThrownBy(() -> node.inRawTransaction(write))
                    .isInstanceOf(DatabaseUnavailable.class)
                    .hasMessageContaining(why);
            assertThatThrownBy(() -> node.inTransaction(write)).hasMessageContaining(why);
            assertThatThrownBy(() -> node.statement(write)).hasMessageContaining(why);
            // Whoever was inside meanwhile does not commit either.
            Database second = new Database(
                    WatchedConnections.source(() -> next[0].dataSource().getConnection()), new SqlFiles("public"));
            assertThatThrownBy(() -> second.inRawTransaction(connection -> {
                        write.run(connection);
                        next[0] = newer;
                        second.inRawTransaction(ServerTimelineIT::timelineOf);
                        return null;
                    }))
                    .hasMessageContaining(why);
            assertThat(old.number("SELECT count(*) FROM written")).isEqualTo(1);
            assertThat(old.dataSource().getHikariPoolMXBean().getActiveConnections())
                    .isZero();
        }
    }

    /** The caller has a pool of its own, which has not heard of the new primary. */
    @Test
    void noJobIsEnqueuedOrCompletedInATransactionOnTheOldPrimary() throws SQLException {
        try (FreshDatabase newer = new FreshDatabase();
                PostgresStore store = newer.store();
                Connection caller = database.transaction()) {
            List<NewJob> jobs = List.of(JobDraft.named("a").job());
            assertThat(store.jobs().enqueue(caller, jobs)).hasSize(1);
            caller.rollback();

            newer.execute("UPDATE muster_server SET timeline = 2");
            store.jobReader().find(JobId.next());

            String why = "an old primary came back after a failover";
            assertThatThrownBy(() -> store.jobs().enqueue(caller, jobs)).hasMessageContaining(why);
            assertThatThrownBy(() -> store.claims().completeIn(caller, new ClaimRef(JobId.next(), 1), null))
                    .hasMessageContaining(why);
            caller.commit();
            assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReignEndsWithItsServerAndTheNextOneIsAboveIt(Strategy strategy) {
        Candidate a = candidate("a", strategy);
        Candidate b = candidate("b", strategy);
        try (PostgresStore one = connected();
                PostgresStore two = connected()) {
            LeaderTerm before = one.leaders().takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
            assertThat(two.leaders().takeOver(b, LeaderRole.SCHEDULER)).isEmpty();
            found("timeline = timeline + 1");

            assertThatThrownBy(() -> one.leaders().fenced(before, MINUTE, ServerTimelineIT::timelineOf))
                    .isInstanceOf(StaleLeader.class);
            RoleRow standing = standing(one.leaders(), a);
            assertThat(standing.mine()).isFalse();
            assertThat(standing.live()).isFalse();
            assertThat(standing.winnable()).isTrue();
            LeaderTerm after = one.leaders().takeOver(a, LeaderRole.SCHEDULER).orElseThrow();
            assertThat(after.timeline()).isEqualTo(before.timeline() + 1);
            assertThat(after.term()).isEqualTo(before.term() + 1);
            assertThat(one.leaders().<Long>fenced(after, MINUTE, ServerTimelineIT::timelineOf))
                    .isEqualTo(after.timeline());
            assertThat(standing(one.leaders(), a).mine()).isTrue();
        }
    }

    private PostgresStore connected() {
        PostgresStore store = new PostgresStore(database.dataSource(), MusterConfig.defaults());
        store.connect(Store.Events.ignored());
        return store;
    }

    private static Candidate candidate(String node, Strategy strategy) {
        LeaderConfig config =
                new LeaderConfig(strategy, Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(5));
        return new Candidate(node, UUID.randomUUID(), Set.of(LeaderRole.values()), config);
    }

    private static RoleRow standing(LeaderStore store, Candidate who) {
        return store.check(who).stream()
                .filter(standing -> standing.role() == LeaderRole.SCHEDULER)
                .findFirst()
                .orElseThrow();
    }
}
