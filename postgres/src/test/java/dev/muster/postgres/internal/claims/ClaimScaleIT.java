package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Sizes;
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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims under numbers that hurt: many claimers, wrong statistics, large backlogs, a pinned horizon. */
class ClaimScaleIT {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int MANY = Sizes.of(20_000, 100_000);

    private FreshDatabase database;
    private PostgresStore store;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        database.execute("ALTER TABLE muster_jobs SET (autovacuum_enabled = false)");
        store = new PostgresStore(
                WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
                    if (method.equals("commit")) {
                        countPagesAtOnce(connection);
                    }
                }),
                MusterConfig.defaults());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    /** The server would tell others a second later how many pages this session has visited. */
    private static void countPagesAtOnce(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
        }
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
                .openClaims(new ClaimFilter(
                        node, null, Set.of("general"), names.length == 0 ? null : Set.of(names), LEASE));
    }

    /** Statistics that make every plan look equally cheap, or the table look empty. */
    private void plantStatistics() {
        database.execute("ANALYZE muster_jobs");
        database.execute("UPDATE pg_class SET reltuples = 1, relpages = 1 WHERE relname = 'muster_jobs'");
        database.execute(
                "UPDATE pg_class SET reltuples = 5000000, relpages = 400000 WHERE relname = 'muster_jobs_ready'");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eightClaimersTakeThousandsOfJobsOnceEachAndNeverMoreThanAsked(boolean planted) throws Exception {
        int jobs = Sizes.of(3_000, 10_000);
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
                List<ClaimedJob> chunk;
                do {
                    chunk = session.exchange(List.of(), limit).claimed();
                    assertThat(chunk).hasSizeLessThanOrEqualTo(limit);
                    chunk.forEach(job -> claimed.add(job.id()));
                } while (!chunk.isEmpty());
            }));
        }
        for (Future<?> claimer : claimers) {
            claimer.get(3, TimeUnit.MINUTES);
        }
        pool.shutdown();
        assertThat(claimed).hasSize(jobs).doesNotHaveDuplicates();
    }

    @Test
    void jobsWithoutAHandlerHereDoNotSlowOtherClaims() {
        ClaimSession session = session("n1", "known");
        fill(MANY, "foreign");
        fill(300, "known");
        // The first looks see the foreign jobs; after that the cursor is past them.
        int claimed = 0;
        for (int i = 0; i < 3; i++) {
            claimed += session.exchange(List.of(), 10).claimed().size();
        }
        assertThat(claimed).isEqualTo(30);

        assertThat(timesFewerPagesThanWithoutCursor(session, 10, "known")).isGreaterThan(3);

        assertThat(
                        database.number(
                                "SELECT count(*) FROM muster_jobs WHERE name = 'foreign' AND status = 'pending' AND attempt = 0"))
                .isEqualTo(MANY);
    }

    /** How many times as many pages a session visits that does not know its way, at its first claim. */
    private double timesFewerPagesThanWithoutCursor(ClaimSession session, int jobs, String... names) {
        long with = pagesOfClaim(session, jobs);
        return (double) pagesOfClaim(session("fresh", names), jobs) / with;
    }

    /** The pages of the jobs and their indexes that a claim visits, which does not depend on how fast the machine is. */
    private long pagesOfClaim(ClaimSession session, int jobs) {
        long before = pagesVisited();
        assertThat(session.exchange(List.of(), jobs).claimed()).hasSize(jobs);
        long pages = pagesVisited() - before;
        assertThat(pages).as("each job is on some page").isPositive();
        return pages;
    }

    private long pagesVisited() {
        return database.number("SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit"
                + " FROM pg_statio_user_tables WHERE relname = 'muster_jobs'");
    }

    @Test
    void aReleasedJobIsFoundAtOnceUnderABacklogAndAPinnedHorizon() throws SQLException {
        ClaimSession first = session("n1");
        ClaimSession other = session("n2");
        fill(1, "a");
        ClaimedJob early = first.exchange(List.of(), 1).claimed().get(0);
        fill(MANY, "a");
        try (Connection pin = database.connection()) {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = pin.createStatement()) {
                statement.execute("SELECT count(*) FROM muster_jobs");
            }
            consume(other, MANY / 2);

            first.exchange(List.of(new Outcome.Released(early.claim())), 0);
            List<ClaimedJob> next = other.exchange(List.of(), 100).claimed();

            assertThat(next).extracting(ClaimedJob::id).contains(early.id());
            pin.rollback();
        }
    }

    @Test
    void aRecoveredJobIsFoundAtOnceUnderABacklog() {
        ClaimSession dead =
                store.claims().openClaims(new ClaimFilter("dead", null, Set.of(), null, Duration.ofMillis(-1)));
        ClaimSession other = session("n2");
        fill(1, "a");
        ClaimedJob lost = dead.exchange(List.of(), 1).claimed().get(0);
        fill(MANY, "a");
        consume(other, MANY / 4);

        store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10, false));

        assertThat(other.exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(lost.id());
    }

    /** Claims and completes this many jobs: what leaves dead rows behind. */
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
        fill(MANY, "a");
        try (Connection pin = database.connection()) {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = pin.createStatement()) {
                statement.execute("SELECT count(*) FROM muster_jobs");
            }
            consume(session, MANY * 3 / 4);

            assertThat(timesFewerPagesThanWithoutCursor(session, 50)).isGreaterThan(3);

            pin.rollback();
        }
    }

    @Test
    void aTransactionThatCommitsLateIsFoundBehindTheCursor() throws SQLException {
        AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
        ClaimSession session = new ClaimSessions(
                new Database(database.dataSource(), new SqlFiles("public")),
                new HeldClaims(),
                List.of(),
                new ClaimFilter("n1", null, Set.of("general"), null, LEASE),
                nanos::get);
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
        List<ClaimedJob> found = new ArrayList<>();
        for (int millis = 0; millis < 1_000 && found.isEmpty(); millis += 50) {
            found.addAll(session.exchange(List.of(), 10).claimed());
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
        }
        assertThat(found).extracting(ClaimedJob::name).containsExactly("late");
    }

    @Test
    void aClaimVisitsAsManyPagesWithManyQueuesThatAreNotDueAsWithFive() {
        ClaimSession session = session("n1");
        delayed("few", 5);
        long withFew = pagesOfNextJob(session);
        delayed("many", Sizes.of(1_000, 5_000));
        session.wake(Set.of());
        session.exchange(List.of(), 10);

        assertThat(pagesOfNextJob(session)).isLessThan(2 * withFew + 50);
    }

    private void delayed(String prefix, int lanes) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'a', '" + prefix + "_' || i, 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM generate_series(1, " + lanes + ") i, (SELECT now() + interval '1 day' AS t) s");
    }

    /** The median, because now and then a claim also looks for what it may have missed. */
    private long pagesOfNextJob(ClaimSession session) {
        long[] pages = new long[9];
        for (int i = 0; i < pages.length; i++) {
            store.jobs().enqueue(List.of(JobDraft.plain("a")));
            session.wake(Set.of(new Lane("default", "")));
            pages[i] = pagesOfClaim(session, 1);
        }
        Arrays.sort(pages);
        return pages[pages.length / 2];
    }

    @Test
    void thousandsOfQueuesWithAJobEachGetTheirTurn() {
        int queues = Sizes.of(2_500, 10_000);
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'a', 'q' || i, 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM generate_series(1, " + queues + ") i, (SELECT clock_timestamp() AS t) s");
        ClaimSession session = session("n1");
        int claimed = 0;
        ClaimSession.Exchange last;
        do {
            last = session.exchange(List.of(), 1_000);
            claimed += last.claimed().size();
        } while (!last.exhausted());
        assertThat(claimed).isEqualTo(queues);
    }

    @Test
    void aJobBehindHundredsOfThousandsForOthersIsClaimedThoughNoStatementHasTheTimeToWalkOverThem() {
        fill(Sizes.of(120_000, 400_000), "foreign");
        fill(3, "known");
        Database impatient = new Database(
                database.dataSource(),
                new SqlFiles(
                        "public", sql -> sql.replace("'statement_timeout', '30s'", "'statement_timeout', '100ms'")));
        ClaimSession session = new ClaimSessions(
                impatient,
                new HeldClaims(),
                List.of(),
                new ClaimFilter("n1", null, Set.of(), Set.of("known"), LEASE),
                System::nanoTime);
        List<ClaimedJob> claimed = new ArrayList<>();
        await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(5)).until(() -> {
            try {
                claimed.addAll(session.exchange(List.of(), 100).claimed());
            } catch (MusterException e) {
                // It ran out of time.
            }
            return claimed.size() == 3;
        });
    }
}
