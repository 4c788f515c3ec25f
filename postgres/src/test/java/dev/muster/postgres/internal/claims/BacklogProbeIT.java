package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is found behind the cursors, and how far back is looked for it. */
class BacklogProbeIT extends StoreOnFreshDatabase {
    private static final Lane LANE = new Lane("default", "");
    private static final int RANK = 50;

    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
    private final ClaimCursors cursors = new ClaimCursors(nanos::get);
    private final ClaimFilter filter = new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5));
    private BacklogProbe probe;
    private int shifted;

    @BeforeEach
    void prepare() {
        probe = new BacklogProbe(
                new Database(database.dataSource(), new SqlFiles("public")), cursors, filter, null, nanos::get);
        cursors.wake(Set.of(LANE));
    }

    /** Sets the database's clock to this many seconds after what it was when the database was made. */
    private void shift(int seconds) {
        database.advance(Duration.ofSeconds(seconds - shifted));
        shifted = seconds;
    }

    private void lookTwice() {
        look();
        database.awaitOlderTransactions();
        look();
        assertThat(floor()).isPositive();
    }

    @Test
    void theFloorRisesAlthoughAReaderStaysOpenAndThenALookReadsLittle() throws SQLException {
        try (Connection reader = database.connection()) {
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = reader.createStatement()) {
                statement.execute("SELECT count(*) FROM muster_jobs");
            }
            workOff(5_000);
            shift(60);
            look();
            assertThat(floor()).isEqualTo(LaneCursor.BEGINNING);
            database.awaitOlderTransactions();
            look();

            assertThat(floor()).isPositive();
            assertThat(pagesRead(floor()) * 5).isLessThan(pagesRead(LaneCursor.BEGINNING));
            reader.rollback();
        }
    }

    @Test
    void aWriterThatStaysOpenKeepsTheFloorAndItsJobIsFoundWhenItCommits() throws SQLException {
        try (Connection writer = database.connection()) {
            writer.setAutoCommit(false);
            store.jobs().enqueue(writer, List.of(JobDraft.plain("late")));
            shift(60);
            workOff(100);
            look();
            look();
            look();
            assertThat(floor()).isEqualTo(LaneCursor.BEGINNING);
            writer.commit();
        }
        assertThat(look()).isTrue();
        long late = micros("SELECT ready_at FROM muster_jobs WHERE name = 'late'");
        assertThat(start()).isBetween(late - 2, late);
    }

    @Test
    void aClaimThatIsRolledBackWasNotPassedByTheFloor() throws SQLException {
        shift(-60);
        store.jobs().enqueue(List.of(JobDraft.plain("held")));
        shift(0);
        try (Connection other = database.connection()) {
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("UPDATE muster_jobs SET status = 'claimed', node_id = 'n2', token = 1");
            }
            cursorHere();
            look();
            cursorHere();
            look();
            other.rollback();
        }
        long held = micros("SELECT ready_at FROM muster_jobs");
        assertThat(floor()).isLessThan(held);
        assertThat(start()).isLessThanOrEqualTo(held);
    }

    @Test
    void aJobWrittenWithATimeInThePastIsFoundByALookFromTheBeginning() {
        workOff(100);
        shift(60);
        lookTwice();
        insert("default", "clock_timestamp() - interval '1 hour'");
        assertThat(look()).as("from the floor").isFalse();

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(look()).isTrue();
        assertThat(start()).isLessThan(micros("SELECT clock_timestamp() - interval '50 minutes'"));
    }

    @Test
    void otherLanesAreSeenBetweenThoseThatAreKnown() {
        String[] queues = {"a", "default", "Default", "z", "Z", "é"};
        Stream.of(queues).forEach(queue -> insert(queue, "clock_timestamp()"));
        assertThat(look()).isTrue();
        assertThat(lanes()).containsExactlyInAnyOrder(queues);
        assertThat(look()).as("nothing new").isFalse();
        assertThat(lanes()).containsExactlyInAnyOrder(queues);
        insert("b", "clock_timestamp()");
        assertThat(look()).isTrue();
        assertThat(lanes()).contains("b");
    }

    @Test
    void aNodeThatIsNoLongerHeardOfIsNoPeer() {
        node("n1", 1);
        node("n2", 5);
        node("silent", 25);
        look();
        assertThat(probe.peers()).containsExactlyInAnyOrder("n1", "n2");
    }

    @Test
    void onlyNodesThatWouldDoTheSameWorkShareInTheLooks() {
        node("n1", 1);
        node("same", 1);
        node("other", 1);
        database.execute("UPDATE muster_nodes SET queues = '{mail}' WHERE id = 'other'");
        database.execute("INSERT INTO muster_claims (node_id, number, lease_until, ids)"
                + " SELECT id, 1, muster_clock() + interval '1 minute', '{}' FROM muster_nodes");
        look();
        assertThat(probe.claimers()).isEqualTo(3);
        assertThat(probe.peers()).isEmpty();
        assertThat(database.number(
                        "SELECT alike FROM muster_probe_backlog('n1', '{}', '{}', '{}', '{}', NULL, false, 1)"
                                + " WHERE kind = 'clock'"))
                .isEqualTo(2);
    }

    /** A node that was heard of this many seconds ago and had promised to be every ten. */
    private void node(String id, int seconds) {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at) VALUES ('" + id + "', gen_random_uuid(), 'active', muster_clock() - interval '"
                + seconds + " seconds', '10 seconds', muster_clock())");
    }

    private boolean look() {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        cursors.wake(Set.of());
        return probe.ifDue();
    }

    private void insert(String queue, String at) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args) SELECT gen_random_uuid(), 'j', '" + queue + "', 50, 50, 'pending', t, t, t, '{}'"
                        + " FROM (SELECT " + at + " AS t) s");
    }

    /** Has jobs enqueued, claimed and completed, and puts the cursor where that leaves it. */
    private void workOff(int jobs) {
        List<NewJob> drafts =
                Stream.generate(() -> JobDraft.plain("done")).limit(jobs).toList();
        store.jobs().enqueue(drafts);
        ClaimSession session = store.claims().openClaims(filter);
        List<ClaimedJob> claimed = session.exchange(List.of(), jobs).claimed();
        assertThat(claimed).hasSize(jobs);
        session.exchange(
                claimed.stream()
                        .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                        .toList(),
                0);
        cursorHere();
    }

    private void cursorHere() {
        long now = micros("SELECT muster_clock()");
        ScanPlan plan = cursors.plan(Reach.RECENT, cursors.wakes());
        cursors.claimed(
                plan,
                ScanResult.of(plan, List.of(new FoundJob(LANE, RANK, now)), 1, 1),
                now + TimeUnit.SECONDS.toMicros(1),
                true);
    }

    private long micros(String time) {
        return Long.parseLong(database.column("SELECT (date_part('epoch', (" + time + ")) * 1e6)::bigint")
                .get(0));
    }

    private Set<String> lanes() {
        return Set.copyOf(cursors.plan(Reach.FORWARD, 0).queues());
    }

    private long floor() {
        ProbePlan look = cursors.planProbe();
        cursors.probeFailed(look, 1, false);
        for (int i = 0; i < look.ranks().length; i++) {
            if (look.ranks()[i] == RANK) {
                return look.floors()[i];
            }
        }
        throw new AssertionError("no rank " + RANK);
    }

    private long start() {
        ScanPlan plan = cursors.plan(Reach.FORWARD, 0);
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == RANK && plan.queues().get(i).equals(LANE.queue())) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + RANK);
    }

    /** Pages that a look from such a floor visits. */
    private long pagesRead(long floor) throws SQLException {
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM muster_probe_backlog('n1', '{"
                                + RANK + "}', '{default}', '{\"\"}', '{" + floor + "}', NULL, false, 50000)")) {
            StringBuilder plan = new StringBuilder();
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            Matcher hits = Pattern.compile("shared hit=(\\d+)").matcher(plan);
            assertThat(hits.find()).as(plan.toString()).isTrue();
            return Long.parseLong(hits.group(1));
        }
    }
}
