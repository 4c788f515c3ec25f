package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.job.Lane;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.VisitedPages;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Sizes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are for other nodes, or far in the future: what they cost this node, and that it misses none of its own behind them. */
class ForeignJobsIT extends OnFreshDatabase {
    private static final Lane LANE = new Lane("default", "");
    private static final int MANY = Sizes.of(2 * ClaimCursors.WALK + 10_000, 1_000_000);

    /** The index of a million jobs has one level more than that of a thousand. */
    private static final long ONE_LEVEL_MORE = 20;

    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
    private final ClaimCursors cursors = new ClaimCursors(nanos::get);
    private final ClaimFilter filter = new ClaimFilter("n1", null, Set.of(), Set.of("mine"), Duration.ofMinutes(5));
    private BacklogProbe probe;

    @BeforeEach
    void prepare() {
        probe = new BacklogProbe(
                new Database(database.dataSource(), new SqlFiles("public")), cursors, filter, null, nanos::get);
    }

    @Test
    void manyDelayedJobsForOthersCostAProbeNoMoreThanAThousand() throws SQLException {
        jobs("foreign", 1_000, "10 minutes");
        long probeWithFew = VisitedPages.of(database, probe(LaneCursor.BEGINNING));
        long nextDueWithFew = VisitedPages.of(database, nextDue());
        jobs("foreign", MANY, "10 minutes");

        assertThat(VisitedPages.of(database, probe(LaneCursor.BEGINNING)))
                .isCloseTo(probeWithFew, within(ONE_LEVEL_MORE));
        assertThat(VisitedPages.of(database, nextDue())).isCloseTo(nextDueWithFew, within(ONE_LEVEL_MORE));
    }

    @Test
    void jobsForOthersThatAreDueSoonAreSearchedForTheNextOwnOneWithinALimit() throws SQLException {
        database.stopClock();
        jobs("foreign", Sizes.of(30_000, 200_000), "10 seconds");
        assertThat(VisitedPages.of(database, nextDue())).isLessThan(200);
        assertThat(dueMillis()).as("the time to ask again").isEqualTo(10_000L);

        database.execute("TRUNCATE muster_jobs");
        jobs("foreign", 50, "10 seconds");
        assertThat(dueMillis()).isNull();
        jobs("mine", 1, "60 seconds");
        assertThat(dueMillis()).isEqualTo(60_000L);
    }

    /** Probes have to walk over due jobs of other nodes, once and in stretches, until the floor has passed them. */
    @Test
    void manyDueJobsForOthersAreWalkedOverInStretchesAndThenCostAProbeNoMoreThanAThousand() throws SQLException {
        cursors.wake(Set.of(LANE));
        jobs("foreign", 1_000, "-1 hour");
        long withFew = VisitedPages.of(database, probe(floorAfter(3)));
        jobs("foreign", MANY, "-30 minutes");

        assertThat(VisitedPages.of(database, probe(LaneCursor.BEGINNING))).isLessThan(2L * ClaimCursors.WALK);
        // One walk proposes the floor, the next confirms it.
        long floor = floorAfter(2 * MANY / ClaimCursors.WALK + 10);
        assertThat(VisitedPages.of(database, probe(floor))).isLessThan(withFew + ONE_LEVEL_MORE);
    }

    @Test
    void anOwnJobBehindManyDueJobsForOthersIsFoundByTheProbeAfterOneFromTheBeginning() {
        cursors.wake(Set.of(LANE));
        jobs("foreign", 2 * ClaimCursors.WALK, "-1 hour");
        floorAfter(10);
        jobs("mine", 1, "-1 second");
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args) SELECT gen_random_uuid(), 'mine', 'busy', 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM (SELECT clock_timestamp() AS t) s");
        pass(Duration.ofMinutes(5));

        probe.ifDue();
        assertThat(asked())
                .as("the probe from the beginning has not come so far")
                .containsOnly("busy");
        assertThat(cursors.probeDue()).as("from the floors, at once").isTrue();
        probe.ifDue();
        assertThat(asked()).containsOnly("busy", LANE.queue());
    }

    private Set<String> asked() {
        return Set.copyOf(cursors.plan(Reach.FORWARD, cursors.wakes()).queues());
    }

    @Test
    void aNodeWhoseLanesHoldOnlyFarJobsKnowsThemAndSendsProbesInsteadOfClaims() {
        jobs("mine", 1, "10 minutes");
        Database refusesClaims = new Database(
                database.dataSource(),
                new SqlFiles("public", sql -> sql.contains("picked AS MATERIALIZED") ? "SELECT 1 / 0" : sql));
        ClaimSession session = new ClaimSessions(refusesClaims, new HeldClaims(), List.of(), filter, nanos::get);
        for (int i = 0; i < 5; i++) {
            Exchange exchange = session.exchange(List.of(), 10);
            assertThat(exchange.exhausted()).isTrue();
            assertThat(exchange.nextDue().orElseThrow()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Test
    void aFarJobIsFoundWhenItIsDueAlthoughNoProbeWasMadeMeanwhile() {
        cursors.wake(Set.of(LANE));
        jobs("mine", 1, "10 minutes");
        probe.ifDue();
        assertThat(cursors.idle()).isTrue();
        long untilNext = cursors.nanosUntilNext();
        assertThat(untilNext).isBetween(TimeUnit.MINUTES.toNanos(9), TimeUnit.MINUTES.toNanos(10));

        pass(Duration.ofNanos(untilNext));
        assertThat(cursors.probeDue()).isTrue();
        probe.ifDue();
        assertThat(cursors.idle()).isFalse();
    }

    @Test
    void anOwnJobBehindMoreDelayedJobsForOthersThanAProbeWalksOverIsFoundInTime() {
        database.stopClock();
        cursors.wake(Set.of(LANE));
        jobs("foreign", ClaimCursors.WALK + 10, "60 seconds");
        jobs("mine", 1, "61 seconds");
        probe.ifDue();
        assertThat(cursors.idle()).isTrue();
        assertThat(cursors.nanosUntilNext())
                .as("until the time that the probe has reached")
                .isBetween(TimeUnit.SECONDS.toNanos(30), TimeUnit.SECONDS.toNanos(61));
    }

    /** Time passes for this node and for the database. */
    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        database.advance(time);
    }

    /** The floor after this many probes, which follow each other so soon that only the first starts at the beginning. */
    private long floorAfter(int probes) {
        for (int i = 0; i < probes; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            cursors.wake(Set.of());
            probe.ifDue();
            database.awaitOlderTransactions();
        }
        ProbePlan next = cursors.planProbe();
        cursors.probeFailed(next, 1, false);
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < next.ranks().length; i++) {
            if (next.ranks()[i] == 50) {
                return next.floors()[i];
            }
        }
        throw new AssertionError("the lane is not named");
    }

    /** Jobs that are ready this long after now, a microsecond apart. */
    private void jobs(String name, int count, String after) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT ('" + prefix(name, count) + "' || lpad(to_hex(i), 12, '0'))::uuid, '" + name
                        + "', 'default', 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM (SELECT i, muster_statement_clock() + interval '" + after
                        + "' + i * interval '1 microsecond' AS t FROM generate_series(1, " + count + ") i) s");
    }

    /** Ascending ids are inserted several times as fast as random ones. */
    private static String prefix(String name, int count) {
        return String.format("%08x-0000-7000-8000-", name.hashCode() ^ count);
    }

    private static String probe(long floor) {
        return "SELECT * FROM muster_probe_backlog('n1', '{50}', '{default}', '{\"\"}', '{" + floor
                + "}', '{mine}', false, " + ClaimCursors.WALK + ")";
    }

    private static String nextDue() {
        String sql = new SqlFiles("public").get("jobs/next_due");
        for (String value : List.of("'{50}'", "'{default}'", "'{\"\"}'", "'{mine}'", "'{mine}'")) {
            sql = sql.replaceFirst("\\?", Matcher.quoteReplacement(value));
        }
        return sql;
    }

    private Long dueMillis() {
        String millis = database.column(nextDue()).get(0);
        return millis == null ? null : Long.valueOf(millis);
    }
}
