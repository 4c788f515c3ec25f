package dev.muster.postgres.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.JobDraft;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.SqlFiles;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims under numbers that hurt: many claimers, wrong statistics, large backlogs, a pinned horizon. */
class ClaimScaleIT {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private FreshDatabase database;
    private PostgresStore store;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void fill(int jobs, String name) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), '" + name + "', 'default', 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM (SELECT clock_timestamp() - interval '1 hour' + i * interval '1 microsecond' AS t"
                        + " FROM generate_series(1, " + jobs + ") i) s");
    }

    private ClaimSession session(String node, String... names) {
        return store.claims()
                .openClaims(
                        new ClaimScope(node, null, Set.of("general"), names.length == 0 ? null : Set.of(names), LEASE));
    }

    /** Statistics that make every plan look equally cheap, or the table look empty. */
    private void plantStatistics() {
        database.execute("ALTER TABLE muster_jobs SET (autovacuum_enabled = false)");
        database.execute("ANALYZE muster_jobs");
        database.execute("UPDATE pg_class SET reltuples = 1, relpages = 1 WHERE relname = 'muster_jobs'");
        database.execute(
                "UPDATE pg_class SET reltuples = 5000000, relpages = 400000 WHERE relname = 'muster_jobs_ready'");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eightClaimersTakeTenThousandJobsOnceEachAndNeverMoreThanAsked(boolean planted) throws Exception {
        int jobs = 10_000;
        if (planted) {
            plantStatistics();
        }
        fill(jobs, "a");
        if (planted) {
            plantStatistics();
        }
        ConcurrentLinkedQueue<JobId> claimed = new ConcurrentLinkedQueue<>();
        ExecutorService pool = Executors.newFixedThreadPool(8);
        List<Future<?>> claimers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ClaimSession session = session("n" + i);
            int limit = 2 + 11 * i;
            claimers.add(pool.submit(() -> {
                List<ClaimedJob> batch;
                do {
                    batch = session.exchange(List.of(), limit).claimed();
                    assertThat(batch).hasSizeLessThanOrEqualTo(limit);
                    batch.forEach(job -> claimed.add(job.id()));
                } while (!batch.isEmpty());
            }));
        }
        for (Future<?> claimer : claimers) {
            claimer.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
        assertThat(claimed).hasSize(jobs).doesNotHaveDuplicates();
    }

    @Test
    void jobsWithoutAHandlerHereDoNotSlowOtherClaims() {
        ClaimSession session = session("n1", "known");
        fill(100_000, "foreign");
        fill(300, "known");
        // The first looks see the foreign jobs; after that the cursor is past them.
        int claimed = 0;
        for (int i = 0; i < 3; i++) {
            claimed += session.exchange(List.of(), 10).claimed().size();
        }
        assertThat(claimed).isEqualTo(30);

        assertThat(timesFasterThanWithoutCursor(session, 10, "known")).isGreaterThan(3);

        assertThat(
                        database.number(
                                "SELECT count(*) FROM muster_jobs WHERE name = 'foreign' AND status = 'pending' AND attempt = 0"))
                .isEqualTo(100_000);
    }

    /** By turns: claims of a session that knows its way, and first claims of sessions that do not. */
    private double timesFasterThanWithoutCursor(ClaimSession session, int jobs, String... names) {
        int turns = 9;
        long[] with = new long[turns];
        long[] without = new long[turns];
        for (int i = 0; i < turns; i++) {
            with[i] = claimTime(session, jobs);
            without[i] = claimTime(session("fresh" + i, names), jobs);
        }
        Arrays.sort(with);
        Arrays.sort(without);
        return (double) without[turns / 2] / with[turns / 2];
    }

    private static long claimTime(ClaimSession session, int jobs) {
        long start = System.nanoTime();
        assertThat(session.exchange(List.of(), jobs).claimed()).hasSize(jobs);
        return System.nanoTime() - start;
    }

    @Test
    void aReleasedJobIsFoundAtOnceUnderABacklogAndAPinnedHorizon() throws SQLException {
        ClaimSession first = session("n1");
        ClaimSession other = session("n2");
        fill(1, "a");
        ClaimedJob early = first.exchange(List.of(), 1).claimed().get(0);
        fill(100_000, "a");
        try (Connection pin = database.connection()) {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = pin.createStatement()) {
                statement.execute("SELECT txid_current(), count(*) FROM muster_jobs");
            }
            consume(other, 20_000);

            first.exchange(List.of(new Outcome.Released(early.claim())), 0);
            long released = System.nanoTime();
            List<ClaimedJob> next = other.exchange(List.of(), 100).claimed();

            assertThat(next).extracting(ClaimedJob::id).contains(early.id());
            assertThat(System.nanoTime() - released).isLessThan(TimeUnit.SECONDS.toNanos(1));
            pin.rollback();
        }
    }

    @Test
    void aRecoveredJobIsFoundAtOnceUnderABacklog() {
        ClaimSession dead =
                store.claims().openClaims(new ClaimScope("dead", null, Set.of(), null, Duration.ofMillis(-1)));
        ClaimSession other = session("n2");
        fill(1, "a");
        ClaimedJob lost = dead.exchange(List.of(), 1).claimed().get(0);
        fill(100_000, "a");
        consume(other, 5_000);

        database.store().leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10, false));

        assertThat(other.exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(lost.id());
    }

    /** Claims and completes so many jobs: what leaves dead rows behind. */
    private static void consume(ClaimSession session, int jobs) {
        List<Outcome> outcomes = List.of();
        int done = 0;
        while (done < jobs) {
            List<ClaimedJob> claimed = session.exchange(outcomes, 500).claimed();
            outcomes = claimed.stream()
                    .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                    .toList();
            done += claimed.size();
        }
        session.exchange(outcomes, 0);
    }

    @Test
    void claimsUnderAPinnedHorizonDoNotWalkOverWhatIsDead() throws SQLException {
        ClaimSession session = session("n1");
        fill(60_000, "a");
        try (Connection pin = database.connection()) {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = pin.createStatement()) {
                statement.execute("SELECT txid_current(), count(*) FROM muster_jobs");
            }
            consume(session, 50_000);

            assertThat(timesFasterThanWithoutCursor(session, 50)).isGreaterThan(3);

            pin.rollback();
        }
    }

    @Test
    void aTransactionThatCommitsLateIsFoundBehindTheCursor() throws SQLException {
        ClaimSession session = session("n1");
        fill(100, "a");
        session.exchange(List.of(), 100);
        try (Connection late = database.connection()) {
            late.setAutoCommit(false);
            store.jobs().enqueue(late, List.of(JobDraft.plain("late")));
            fill(50, "a");
            assertThat(session.exchange(List.of(), 1000).claimed()).hasSize(50);
            assertThat(session.exchange(List.of(), 1000).claimed()).isEmpty();
            late.commit();
        }
        session.wake(Set.of(new Lane("default", "")));
        await().atMost(Duration.ofSeconds(1))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(session.exchange(List.of(), 10).claimed())
                        .extracting(ClaimedJob::name)
                        .containsExactly("late"));
    }

    @Test
    void aJobStartsAsSoonWithFiveThousandQueuesThatAreNotDueAsWithFive() {
        ClaimSession session = session("n1");
        delayed("few", 5);
        double withFew = medianMillis(session);
        delayed("many", 5_000);
        session.wake(Set.of());
        session.exchange(List.of(), 10);

        assertThat(medianMillis(session)).isLessThan(2 * withFew + 10);
    }

    private void delayed(String prefix, int lanes) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'a', '" + prefix + "_' || i, 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM generate_series(1, " + lanes + ") i, (SELECT now() + interval '1 day' AS t) s");
    }

    private double medianMillis(ClaimSession session) {
        double[] millis = new double[21];
        for (int i = 0; i < millis.length; i++) {
            store.jobs().enqueue(List.of(JobDraft.plain("a")));
            session.wake(Set.of(new Lane("default", "")));
            millis[i] = claimTime(session, 1) / 1e6;
        }
        Arrays.sort(millis);
        return millis[millis.length / 2];
    }

    @Test
    void tenThousandQueuesWithAJobEachGetTheirTurn() {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'a', 'q' || i, 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM generate_series(1, 10000) i, (SELECT clock_timestamp() AS t) s");
        ClaimSession session = session("n1");
        int claimed = 0;
        ClaimSession.Exchange last;
        do {
            last = session.exchange(List.of(), 1_000);
            claimed += last.claimed().size();
        } while (!last.exhausted());
        assertThat(claimed).isEqualTo(10_000);
    }

    @Test
    void aJobBehindHundredsOfThousandsForOthersIsClaimedThoughNoStatementHasTheTimeToWalkOverThem() {
        fill(400_000, "foreign");
        fill(3, "known");
        Database impatient = new Database(
                database.dataSource(),
                new SqlFiles(
                        "public", sql -> sql.replace("'statement_timeout', '30s'", "'statement_timeout', '100ms'")));
        ClaimSession session = new ClaimSessions(
                impatient,
                new HeldClaims(),
                List.of(),
                new ClaimScope("n1", null, Set.of(), Set.of("known"), LEASE),
                System::nanoTime);
        List<ClaimedJob> claimed = new ArrayList<>();
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    try {
                        claimed.addAll(session.exchange(List.of(), 100).claimed());
                    } catch (MusterException e) {
                        // It ran out of time.
                    }
                    return claimed.size() == 3;
                });
    }
}
