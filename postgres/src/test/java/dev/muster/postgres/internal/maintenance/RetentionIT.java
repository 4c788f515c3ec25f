package dev.muster.postgres.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.leader.UnelectedLeader;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.internal.maintenance.MaintenanceStore.Stretch;
import dev.muster.internal.maintenance.RetentionCleaner;
import dev.muster.leader.LeaderRole;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.runtime.Clock;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Old days go, and nobody notices. */
class RetentionIT extends StoreOnFreshDatabase {
    /** As many as fall due in the time that the test takes, and more. */
    private static final int KEYS = Sizes.of(100_000, 300_000);

    private MaintenanceStore maintenance;
    private LeaderStore leaders;

    @BeforeEach
    void prepare() {
        maintenance = database.store().port(MaintenanceStore.class);
        leaders = database.store().leaders();
    }

    /** A day of history, this many days ago, with this many jobs in it. */
    private void oldDay(int daysAgo, int jobs) {
        String day = "((clock_timestamp() AT TIME ZONE 'UTC')::date - " + daysAgo + ")";
        database.execute(
                "DO $$ BEGIN EXECUTE format('CREATE TABLE muster_job_history_%s PARTITION OF muster_job_history"
                        + " FOR VALUES FROM (%L) TO (%L)', to_char(" + day + ", 'YYYYMMDD'), " + day
                        + "::text || ' 00:00+00', ("
                        + day + " + 1)::text || ' 00:00+00'); END $$");
        database.execute(
                "INSERT INTO muster_job_history (id, token, finished_at, run_at, created_at, priority, attempt,"
                        + " crashes, status, name, queue, capability, args) SELECT gen_random_uuid(), i, t, t, t, 50, 1, 0,"
                        + " 'completed', 'old', 'default', '', '{}' FROM (SELECT i, " + day
                        + "::timestamp AT TIME ZONE 'UTC' + i * interval '1 millisecond' AS t FROM generate_series(1, "
                        + jobs + ") i) s");
    }

    /** False if someone was in the way. */
    private boolean dropOldDays() {
        Dropped last;
        do {
            last = leaders.unfenced(tx -> maintenance.dropOldestDay(tx, Days.HISTORY, Duration.ofDays(7)));
        } while (last == Dropped.ONE);
        return last == Dropped.NONE;
    }

    private int forgetKeys(Duration retain) {
        int forgotten = 0;
        long page = 0;
        do {
            long from = page;
            Stretch stretch = leaders.unfenced(tx -> maintenance.forgetKeys(tx, retain, from));
            forgotten += stretch.forgotten();
            page = stretch.nextPage();
        } while (page > 0);
        return forgotten;
    }

    private long days() {
        return database.number("SELECT count(*) FROM pg_inherits WHERE inhparent = 'muster_job_history'::regclass");
    }

    @Test
    void aLongReaderMakesTheDropGiveUpAndTheWritersGoOn() throws SQLException {
        oldDay(30, 10);
        store.jobs().enqueue(List.of(JobDraft.plain("a")));
        ClaimSession session = session();
        ClaimedJob job = session.exchange(List.of(), 1).claimed().get(0);
        try (Connection reader = database.transaction();
                Statement statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM muster_job_history");

            assertThat(dropOldDays()).isFalse();

            assertThat(session.exchange(List.of(new Outcome.Completed(job.claim(), null)), 0)
                            .rejected())
                    .isEmpty();
            reader.rollback();
        }
        await().until(() -> dropOldDays());
    }

    private ClaimSession session() {
        return store.claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)));
    }

    /** Many jobs in the days to drop, completions running, readers that hold on: no completion waits for long. */
    @LongTest(
            twin = RetentionIT.class,
            test = "keysThatFallDueAllTheTimeKeepNoDayFromBeingDropped",
            why = "completions beside it")
    @Test
    void droppingDaysDoesNotHoldUpCompletions() throws Exception {
        for (int day = 10; day < 20; day++) {
            oldDay(day, Sizes.of(2_000, 20_000));
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong longestWait = new AtomicLong();
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(3);
        Future<?> completions = pool.submit(() -> completeUntil(done));
        ScheduledFuture<?> sampling = pool.scheduleWithFixedDelay(
                () -> longestWait.accumulateAndGet(longestLockWait(), Math::max), 0, 2, TimeUnit.MILLISECONDS);
        Future<?> reader = pool.submit(() -> {
            while (!done.get()) {
                database.number("SELECT count(*) FROM muster_job_history h, pg_sleep(0.3)");
            }
        });
        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> dropOldDays() || days() <= 10);
        done.set(true);
        reader.get(2, TimeUnit.MINUTES);
        completions.get(2, TimeUnit.MINUTES);

        assertThat(sampling.isDone()).as("failed").isFalse();
        sampling.cancel(false);
        pool.shutdown();
        assertThat(pool.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
        Measured.within(Duration.ofMillis(250), Duration.ofMillis(longestWait.get()), "the longest wait for a lock");
    }

    /** In milliseconds, as the server sees it: a machine that is busy with other things does not count. */
    private long longestLockWait() {
        return database.number(
                "SELECT coalesce(max(1000 * date_part('epoch', pg_catalog.clock_timestamp() - waitstart)), 0)"
                        + "::bigint FROM pg_locks WHERE NOT granted"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    private void completeUntil(AtomicBoolean done) {
        ClaimSession session = session();
        while (!done.get()) {
            List<NewJob> jobs = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                jobs.add(JobDraft.plain("a"));
            }
            store.jobs().enqueue(jobs);
            List<Outcome> outcomes = session.exchange(List.of(), 20).claimed().stream()
                    .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                    .toList();
            session.exchange(outcomes, 0);
        }
    }

    /** This many keys, one of which falls due each millisecond from now on. */
    private void keysThatFallDueOneByOne(int keys) {
        database.execute("INSERT INTO muster_job_keys (name, key, job_id, args_hash, created_at)"
                + " SELECT 'a', 'k' || i, gen_random_uuid(), '\\x00',"
                + " muster_clock() - interval '24 hours' + i * interval '1 millisecond'"
                + " FROM generate_series(1, " + keys + ") i");
    }

    @Test
    void keysThatFallDueAllTheTimeKeepNoDayFromBeingDropped() {
        oldDay(30, 10);
        long before = days();
        keysThatFallDueOneByOne(KEYS);
        RetentionCleaner compactor = new RetentionCleaner(
                maintenance,
                new UnelectedLeader(leaders, LeaderRole.LOG_COMPACTOR, "n1"),
                MusterConfig.defaults().history(),
                Clock.system());
        compactor.start();
        try {
            await().until(() -> days() < before);
            await().until(() -> database.number("SELECT count(*) FROM muster_job_keys") < KEYS);
        } finally {
            compactor.stop();
        }
    }

    @Test
    void aStretchOfKeysIsReadPageByPage() {
        keysThatFallDueOneByOne(100_000);
        database.execute("UPDATE muster_job_keys SET created_at = created_at - interval '1 day' WHERE key LIKE '%7'");

        Stretch first = leaders.unfenced(tx -> maintenance.forgetKeys(tx, Duration.ofHours(24), 0));

        assertThat(first.nextPage()).isPositive();
        assertThat(first.forgotten()).isLessThan(10_000);
        assertThat(forgetKeys(Duration.ofHours(24)) + first.forgotten()).isGreaterThanOrEqualTo(10_000);
        assertThat(database.number("SELECT count(*) FROM muster_job_keys WHERE key LIKE '%7'"))
                .isZero();
        assertThat(planOfAStretch())
                .contains("Tid Range Scan on muster_job_keys")
                .doesNotContain("Seq Scan")
                .doesNotContain("Hash");
    }

    private String planOfAStretch() {
        String sql = "EXPLAIN " + new SqlFiles("public").get("jobs/forget_keys");
        return leaders.unfenced(tx -> {
            StringBuilder plan = new StringBuilder();
            try (PreparedStatement statement = tx.prepareStatement(sql)) {
                ResultSet rows = new Params(statement)
                        .text("(0,0)")
                        .text("(500,0)")
                        .number(1L)
                        .number(1L)
                        .query();
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            return plan.toString();
        });
    }
}
