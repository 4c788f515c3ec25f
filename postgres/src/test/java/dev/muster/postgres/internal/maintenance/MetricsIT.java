package dev.muster.postgres.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.postgres.internal.maintenance.PostgresMaintenanceStore.Limits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Figures per minute, from history. The clock stands still at noon of tomorrow unless a test moves it. */
class MetricsIT extends OnFreshDatabase {
    private static final String NOON =
            "((clock_timestamp() AT TIME ZONE 'UTC')::date + 1 + time '12:00') AT TIME ZONE 'UTC'";

    private MaintenanceStore maintenance;
    private LeaderStore leaders;

    @BeforeEach
    void prepare() {
        maintenance = database.store().port(MaintenanceStore.class);
        leaders = database.store().leaders();
        database.execute("CREATE TABLE noon AS SELECT " + NOON + " AS at");
        now(Duration.ZERO);
        database.execute("UPDATE muster_metrics_progress SET done_to = (SELECT at FROM noon)");
    }

    private void now(Duration afterNoon) {
        for (String function : List.of("muster_clock", "muster_statement_clock")) {
            database.execute("CREATE OR REPLACE FUNCTION " + function + "() RETURNS timestamptz LANGUAGE sql STABLE AS"
                    + " 'SELECT at + interval ''" + afterNoon.toMillis() + " milliseconds'' FROM public.noon'");
        }
    }

    private Duration write() {
        return leaders.unfenced(maintenance::writeMinute);
    }

    private MaintenanceStore maintenance(Limits limits) {
        Database connections = new Database(database.dataSource(), new SqlFiles("public"));
        return new PostgresMaintenanceStore(connections, Readers.onPrimary(connections), limits);
    }

    /** Jobs that ended so long after noon, having run for 1, 2, 3 … ms after a wait of 10 times that. */
    private void ended(String name, String queue, String status, int jobs, Duration afterNoon) {
        database.execute("INSERT INTO muster_job_history (id, finished_at, started_at, run_at, created_at, priority,"
                + " attempt, crashes, status, name, queue, capability, args) SELECT gen_random_uuid(), t.at,"
                + " t.at - i * interval '1 ms', t.at - i * interval '11 ms', t.at, 50, 1, 0, '" + status + "', '" + name
                + "', '" + queue + "', '', '{}' FROM generate_series(1, " + jobs + ") i, (SELECT at + interval '"
                + afterNoon.toMillis() + " milliseconds' AS at FROM noon) t");
    }

    private String row(String what, String where) {
        List<String> found = database.column("SELECT concat_ws(' ', " + what + ") FROM " + where);
        assertThat(found).as(where).hasSize(1);
        return found.get(0);
    }

    @Test
    void aMinuteIsWrittenHalfAMinuteAfterItsEnd() {
        ended("a", "q", "completed", 100, Duration.ofSeconds(59));
        ended("a", "q", "failed", 3, Duration.ofSeconds(1));
        ended("b", "q", "cancelled", 2, Duration.ofSeconds(1));
        ended("b", "r", "expired", 1, Duration.ofSeconds(1));
        ended("a", "q", "completed", 7, Duration.ofSeconds(60));
        now(Duration.ofSeconds(80));
        assertThat(write()).isEqualTo(Duration.ofSeconds(10));
        assertThat(database.number("SELECT count(*) FROM muster_metrics")).isZero();

        now(Duration.ofSeconds(95));
        assertThat(write()).isEqualTo(Duration.ofSeconds(55));

        String counts = "completed, failed, cancelled, expired";
        assertThat(row(counts, "muster_job_metrics WHERE name = 'a' AND queue = 'q'"))
                .isEqualTo("100 3 0 0");
        assertThat(row(counts, "muster_job_metrics WHERE name = 'b' AND queue = 'q'"))
                .isEqualTo("0 0 2 0");
        assertThat(row(counts, "muster_job_metrics WHERE name = 'b' AND queue = 'r'"))
                .isEqualTo("0 0 0 1");
        assertThat(row(counts, "muster_queue_metrics WHERE queue = 'q'")).isEqualTo("100 3 2 0");
        assertThat(row("minute = (SELECT at FROM noon)", "muster_queue_metrics WHERE queue = 'q'"))
                .isEqualTo("t");
    }

    @Test
    void latenciesAreWithinSixPercent() {
        ended("a", "q", "completed", 1000, Duration.ofSeconds(30));
        now(Duration.ofSeconds(90));
        write();

        for (String of : List.of("run", "wait")) {
            double unit = of.equals("run") ? 1 : 10;
            for (int percent : List.of(50, 95, 99)) {
                double found =
                        Double.parseDouble(row(of + "_p" + percent + "_ms", "muster_job_metrics WHERE name = 'a'"));
                double exact = percent * 10 * unit;
                assertThat(found).as(of + " p" + percent).isCloseTo(exact, within(exact * 0.062));
            }
        }
    }

    @Test
    void jobsThatCompleteInTheirOwnTransactionCount() throws Exception {
        PostgresStore store = database.store();
        store.jobs().enqueue(List.of(JobDraft.plain("own")));
        now(Duration.ofSeconds(2));
        ClaimedJob claimed = store.claims()
                .openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofDays(9)))
                .exchange(List.of(), 1)
                .claimed()
                .get(0);
        now(Duration.ofMillis(2_400));
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.claims().completeIn(connection, new Outcome.Completed(claimed.claim(), null, Duration.ofMillis(400)));
            connection.commit();
        }
        now(Duration.ofSeconds(90));
        write();

        double run = Double.parseDouble(row("run_p95_ms", "muster_job_metrics WHERE name = 'own'"));
        double wait = Double.parseDouble(row("wait_p95_ms", "muster_job_metrics WHERE name = 'own'"));
        assertThat(run).isCloseTo(400, within(400 * 0.062));
        assertThat(wait).isCloseTo(2_000, within(2_000 * 0.062));
    }

    @Test
    void depthIsWhatIsDueAndUnclaimed() {
        String job =
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args)"
                        + " SELECT gen_random_uuid(), %s, at, at, 50, 50, '%s', '%s', 'q', '{}'"
                        + " FROM noon, generate_series(1, %d)";
        database.execute(job.formatted("at", "pending", "a", 4));
        database.execute(job.formatted("at + interval '1 h'", "pending", "a", 8));
        database.execute(job.formatted("'infinity'", "waiting", "a", 16));
        ended("b", "q", "completed", 1, Duration.ZERO);
        now(Duration.ofSeconds(100));
        write();

        assertThat(row("depth, completed", "muster_job_metrics WHERE name = 'a'"))
                .isEqualTo("4 0");
        assertThat(row("depth, completed", "muster_job_metrics WHERE name = 'b'"))
                .isEqualTo("0 1");
        assertThat(row("depth, completed", "muster_queue_metrics")).isEqualTo("4 1");
    }

    @Test
    void missedMinutesAreMadeUpForWithinBounds() {
        ended("a", "q", "completed", 1, Duration.ofMinutes(1));
        ended("a", "q", "completed", 2, Duration.ofHours(3));
        ended("a", "q", "completed", 4, Duration.ofHours(9));
        now(Duration.ofHours(9).plusSeconds(100));

        int written = 0;
        while (write().isZero()) {
            written++;
        }

        assertThat(written).as("minutes in six hours").isEqualTo(360 - 1);
        assertThat(database.column(
                        "SELECT completed || ' ' || (depth IS NULL) FROM muster_job_metrics ORDER BY minute"))
                .as("the first is too old; depth is known of the present only")
                .containsExactly("4 false");
        assertThat(database.number("SELECT count(*) FROM muster_metrics")).isEqualTo(2);
    }

    @Test
    void writingAMinuteAgainChangesNothing() {
        ended("a", "q", "completed", 10, Duration.ofSeconds(30));
        now(Duration.ofSeconds(90));
        write();
        List<String> first = database.column("SELECT m::text FROM muster_metrics m ORDER BY 1");

        database.execute("UPDATE muster_metrics_progress SET done_to = (SELECT at FROM noon)");
        write();

        assertThat(database.column("SELECT m::text FROM muster_metrics m ORDER BY 1"))
                .isEqualTo(first);
    }

    @Test
    void twoThatTakeThemselvesForLeadersTakeTurns() throws Exception {
        ended("a", "q", "completed", 10, Duration.ofSeconds(30));
        now(Duration.ofSeconds(90));
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<Duration>> both = List.of(pool.submit(this::write), pool.submit(this::write));
            for (Future<Duration> one : both) {
                assertThat(seconds(one)).isEqualTo(60);
            }
        } finally {
            pool.shutdown();
        }
        assertThat(row("completed", "muster_job_metrics")).isEqualTo("10");
    }

    private static long seconds(Future<Duration> waits)
            throws ExecutionException, InterruptedException, TimeoutException {
        return waits.get(2, TimeUnit.MINUTES).toSeconds();
    }

    @Test
    void aMinuteIsFoundAmongADaysJobsByTheBlockRangeIndex() {
        database.execute(
                "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes,"
                        + " status, name, queue, capability, args) SELECT gen_random_uuid(), at + i * interval '50 ms', at, at,"
                        + " 50, 1, 0, 'completed', 'a', 'q', '', '{}' FROM noon, generate_series(1, 100000) i");
        // Nobody has analyzed the day yet, and nothing but its newest blocks is left to summarize.
        database.execute(
                "SELECT brin_summarize_new_values(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                        + " JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'brin' AND c.relkind = 'i'");
        String plan = String.join("\n", explained(30));

        assertThat(plan)
                .contains("Bitmap Heap Scan")
                .contains("finished_at_idx")
                .doesNotContain("Seq Scan on muster_job_history");
        assertThat(database.number("SELECT sum(completed) FROM muster_job_metrics"))
                .isEqualTo(1200);
    }

    private List<String> explained(int minutesAfterNoon) {
        SqlFiles sql = new SqlFiles("public");
        return leaders.unfenced(tx -> {
            List<String> lines = new ArrayList<>();
            try (PreparedStatement settings = tx.prepareStatement(sql.get("maintenance/settings"));
                    PreparedStatement noon = tx.prepareStatement("SELECT at FROM noon");
                    PreparedStatement explain = tx.prepareStatement(
                            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql.get("maintenance/minute"))) {
                settings.setString(1, "off");
                settings.setString(2, "30s");
                settings.execute();
                ResultSet at = noon.executeQuery();
                at.next();
                OffsetDateTime minute = at.getObject(1, OffsetDateTime.class).plusMinutes(minutesAfterNoon);
                new Params(explain)
                        .time(minute)
                        .time(minute)
                        .time(minute.plusMinutes(1))
                        .time(minute);
                ResultSet rows = explain.executeQuery();
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
            return lines;
        });
    }

    private Dropped drop() {
        return leaders.unfenced(tx -> maintenance.dropOldestDay(tx, Days.METRICS, Duration.ofDays(30)));
    }

    @Test
    void oldFiguresAreDroppedByDay() {
        database.execute("DO $$ BEGIN EXECUTE format('CREATE TABLE muster_metrics_20200101 PARTITION OF muster_metrics"
                + " FOR VALUES FROM (%L) TO (%L)', '2020-01-01 00:00+00', '2020-01-02 00:00+00'); END $$");

        assertThat(drop()).isEqualTo(Dropped.ONE);
        assertThat(drop()).isEqualTo(Dropped.NONE);
    }

    @Test
    void aMinuteThatTakesTooLongGoesWithoutFigures() {
        Duration plenty = Duration.ofMinutes(1);
        MaintenanceStore hurried = maintenance(new Limits(plenty, Duration.ofSeconds(2), plenty, plenty));
        database.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN IF NEW.name = ''slow'' THEN PERFORM pg_sleep(300); END IF; RETURN NEW; END'");
        database.execute("CREATE TRIGGER slow BEFORE INSERT ON muster_metrics FOR EACH ROW EXECUTE FUNCTION slow()");
        ended("slow", "q", "completed", 1, Duration.ofSeconds(1));
        ended("quick", "q", "completed", 1, Duration.ofSeconds(61));
        now(Duration.ofSeconds(160));

        leaders.unfenced(hurried::writeMinute);
        leaders.unfenced(hurried::writeMinute);

        assertThat(database.column("SELECT DISTINCT name FROM muster_job_metrics"))
                .containsExactly("quick");
    }

    /** Without autovacuum, as where it does not keep up: the minute after a slow one reads its own pages only. */
    @Test
    void afterASlowMinuteTheIndexIsSummarized() {
        MaintenanceStore careful = maintenance(
                new Limits(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ZERO));
        String day = database.column(
                        "SELECT 'muster_job_history_' || to_char(at AT TIME ZONE 'UTC', 'YYYYMMDD') FROM noon")
                .get(0);
        database.execute("ALTER TABLE " + day + " SET (autovacuum_enabled = off)");
        database.execute("ALTER INDEX " + day + "_finished_at_idx1 SET (autosummarize = off)");
        for (int second = 0; second < 120; second += 10) {
            ended("a", "q", "completed", 5_000, Duration.ofSeconds(second));
        }
        now(Duration.ofSeconds(160));

        leaders.unfenced(careful::writeMinute);
        long before = pagesRead();
        leaders.unfenced(careful::writeMinute);

        assertThat(pagesRead()).isLessThan(before * 2 / 3);
        assertThat(database.number("SELECT sum(completed) FROM muster_job_metrics"))
                .isEqualTo(60_000);
    }

    /** Pages of history that the figures of the second minute read. */
    private long pagesRead() {
        return explained(1).stream()
                .filter(line -> line.contains("Heap Blocks"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*lossy=(\\d+).*", "$1")))
                .sum();
    }
}
