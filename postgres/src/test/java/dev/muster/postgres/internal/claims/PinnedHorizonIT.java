package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobRate;
import dev.muster.job.QueueLimit;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.postgres.internal.recovery.SweepFloors;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transaction that stays open for hours keeps every dead row: a dump, a report, a stuck replication slot. */
class PinnedHorizonIT extends StoreOnFreshDatabase {
    private static final int ROWS = Sizes.of(30_000, 100_000);
    private static final SilenceLimits PATIENCE =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    private static final Pattern PAGES = Pattern.compile("(hit|read)=(\\d+)");

    @BeforeEach
    void prepare() {
        store.connect(Store.Events.ignored());
    }

    private static Registration registration(String id) {
        return new Registration(
                id,
                UUID.randomUUID(),
                null,
                EnumSet.allOf(NodeRole.class),
                null,
                null,
                Set.of(),
                Map.of(),
                List.of(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                true,
                SilenceLimits.of(MusterConfig.defaults().cluster()),
                "test",
                "1.2.3",
                Routes.NONE,
                List.of());
    }

    private void join(String id) {
        store.nodes().join(registration(id), NodeStatus.ACTIVE, null, null);
        database.execute("UPDATE muster_nodes SET in_touch_since = clock_timestamp() - interval '1 hour'");
    }

    @Test
    void theQuestionAboutNodesTakesTheSameTimeAfterHoursOfJobsThatExpireAndWait() throws SQLException {
        try (Connection pin = database.transaction();
                Statement snapshot = pin.createStatement()) {
            snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            snapshot.execute("SELECT count(*) FROM muster_jobs");
            store.recovery().searchOverdue();
            join("judge");
            join("dead");
            database.execute(
                    "UPDATE muster_nodes SET last_heartbeat = clock_timestamp() - interval '16 s' WHERE id = 'dead'");
            assertThat(store.nodes().overdueWork("judge", PATIENCE).overdue()).containsExactly("dead");
            long before = pagesFromTheFloors();

            anHourOfJobs();
            // As with each heartbeat.
            database.execute("UPDATE muster_nodes SET claims_before = nextval('muster_job_token_seq')");

            assertThat(store.nodes().overdueWork("judge", PATIENCE).overdue()).containsExactly("dead");
            assertThat(pagesFromTheFloors()).as("pages that the question reads").isLessThan(before + 200);
            assertThat(pagesOf("0, 0, '00000000-0000-0000-0000-000000000000', NULL"))
                    .as("pages that it would read from the beginning")
                    .isGreaterThan(before + ROWS * 3 / 100);
            assertThat(store.recovery().searchOverdue().expired()).isFalse();
        }
    }

    /** What a dead node leaves is taken over in the same time, however many claims of its are dead rows by now. */
    @Test
    void takingOverWhatADeadNodeHeldReadsOnlyItsLastClaims() throws SQLException {
        try (Connection pin = database.transaction();
                Statement snapshot = pin.createStatement()) {
            snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            snapshot.execute("SELECT count(*) FROM muster_jobs");
            join("dead");
            anHourOfJobs();
            ClaimSession session =
                    store.claims().openClaims(new ClaimFilter("dead", null, Set.of(), null, Duration.ofSeconds(30)));
            store.jobs().enqueue(List.of(JobDraft.plain("a"), JobDraft.plain("b")));
            assertThat(session.exchange(List.of(), 2).claimed()).hasSize(2);

            assertThat(pagesOfRelease()).isLessThan(200);
            assertThat(store.nodes()
                            .join(registration("dead"), NodeStatus.ACTIVE, null, null)
                            .orElseThrow()
                            .released())
                    .hasSize(2);
        }
    }

    private long pagesOfRelease() throws SQLException {
        String sql = new SqlFiles("public")
                .get("jobs/requeue_of_node")
                .replaceFirst("\\?", "'dead'")
                .replaceFirst("\\?", "true")
                .replaceFirst("\\?", "clock_timestamp()")
                .replaceFirst("\\?", "NULL");
        Database statements = new Database(database.dataSource(), new SqlFiles("public"));
        // Rolled back, so that nothing has been taken over.
        try (Connection connection = database.transaction()) {
            statements.applySettings(connection);
            long pages = pagesRead(connection, "EXPLAIN (ANALYZE, BUFFERS, TIMING off) " + sql);
            connection.rollback();
            return pages;
        }
    }

    /** Jobs that expire, jobs that wait, with their edges, and claims; all of them are over. */
    private void anHourOfJobs() {
        String id =
                "(lpad(to_hex((extract(epoch FROM clock_timestamp() - interval '1 hour') * 1000)::bigint + i * 30), 12,"
                        + " '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid";
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args, expires_at) SELECT " + id + ", 'x', 'default', 50, 50,"
                        + " CASE WHEN i % 2 = 0 THEN 'waiting' ELSE 'pending' END, now(),"
                        + " CASE WHEN i % 2 = 0 THEN 'infinity' ELSE now() END, now(), '{}',"
                        + " now() - interval '1 hour' + i * interval '30 ms' FROM generate_series(1, " + ROWS + ") i");
        database.execute("INSERT INTO muster_job_dependencies (child, parent) SELECT id, id FROM muster_jobs"
                + " WHERE ready_at = 'infinity'");
        database.execute("INSERT INTO muster_claims (node_id, number, lease_until, ids) SELECT 'dead',"
                + " nextval('muster_job_token_seq'), now() - interval '1 hour' + i * interval '30 ms', '{}'"
                + " FROM generate_series(1, " + ROWS + ") i");
        database.execute("DELETE FROM muster_job_dependencies");
        database.execute("DELETE FROM muster_claims");
        database.execute("DELETE FROM muster_jobs");
    }

    private PostgresClaimSession within(String queue, HeldClaims held) {
        return PostgresClaimSession.within(
                new Database(database.dataSource(), new SqlFiles("public")),
                held,
                List.of(),
                new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)),
                queue,
                new UnacknowledgedClaims(System::nanoTime),
                System::nanoTime);
    }

    private void enqueueTen(String queue) {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'x', '" + queue
                        + "', 50, 50, 'pending', now(), now(), now(), '{}' FROM generate_series(1, 10)");
    }

    /** One job runs for hours, and others come and go beside it. */
    @Test
    void thePlacesOfALimitedQueueAreCountedWithoutReadingWhatWasUsedBesideALongJob() throws SQLException {
        database.execute("INSERT INTO muster_queues (name, max_running) VALUES ('scarce', 3)");
        enqueueTen("scarce");
        try (Connection pin = database.transaction();
                Statement pinned = pin.createStatement()) {
            pinned.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            pinned.execute("SELECT count(*) FROM muster_jobs");
            HeldClaims held = new HeldClaims();
            PostgresClaimSession session = within("scarce", held);
            assertThat(session.exchange(List.of(), 1).claimed())
                    .as("the long job")
                    .hasSize(1);
            long note = database.number("SELECT number FROM muster_claims WHERE queue = 'scarce'");
            database.execute("INSERT INTO muster_claims (node_id, number, lease_until, ids, queue) SELECT 'n',"
                    + " nextval('muster_job_token_seq'), now(), '{}', 'scarce' FROM generate_series(1, " + ROWS
                    + ") i");
            database.execute("DELETE FROM muster_claims WHERE node_id = 'n'");
            assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
            session.wake(Set.of());
            session.exchange(List.of(), 1);

            NotesSeen seen = held.notesSeen("scarce");
            long fromTheOldest = pagesOfRoom("scarce", new NotesSeen(seen.walTimeline(), note, List.of()));
            assertThat(fromTheOldest)
                    .as("pages from the oldest note that counts")
                    .isGreaterThan(ROWS / 100);
            assertThat(pagesOfRoom("scarce", seen))
                    .as("pages that a claim reads")
                    .isLessThan(200)
                    .isLessThan(fromTheOldest / 2);
            assertThat(session.exchange(List.of(), 1).claimed())
                    .as("three places are used: the long job still counts")
                    .isEmpty();
            pin.rollback();
        }
    }

    /** A limited queue with a rate: each claim writes a new version of one row. */
    @Test
    void theRateOfAQueueIsReadWithoutItsOlderVersions() throws SQLException {
        store.queues().limit("steady", QueueLimit.rate(JobRate.parse("1000000/1m")));
        store.queues().limit("moved", QueueLimit.rate(JobRate.parse("1000000/1m")));
        for (String queue : List.of("steady", "moved")) {
            enqueueTen(queue);
            assertThat(within(queue, new HeldClaims()).exchange(List.of(), 1).claimed())
                    .hasSize(1);
        }
        try (Connection pin = database.transaction();
                Statement pinned = pin.createStatement()) {
            pinned.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            pinned.execute("SELECT count(*) FROM muster_queue_rates");
            // What many claims of one second, and of many seconds, leave behind.
            database.execute("DO $$ BEGIN PERFORM set_config('synchronous_commit', 'off', false); FOR i IN 1..8000 LOOP"
                    + " UPDATE muster_queue_rates SET paid_until = paid_until + interval '1 us',"
                    + " second = CASE WHEN queue = 'moved' AND i % 100 = 0 THEN second + interval '1 second' ELSE second END;"
                    + " COMMIT; END LOOP; END $$");

            long ofOneSecond = pagesOfRoom("steady", NotesSeen.NONE);
            assertThat(ofOneSecond).as("pages with the versions of one second").isGreaterThan(8000 / 500);
            assertThat(pagesOfRoom("moved", NotesSeen.NONE))
                    .as("pages with those of many seconds")
                    .isLessThan(ofOneSecond * 2 / 3);
            pin.rollback();
        }
    }

    @Test
    void theKeyOfARateMovesWithTheClock() {
        store.queues().limit("mail", QueueLimit.rate(JobRate.parse("1000000/1m")));
        enqueueTen("mail");
        PostgresClaimSession session = within("mail", new HeldClaims());
        assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
        String first = database.column("SELECT second FROM muster_queue_rates").get(0);

        database.advance(Duration.ofSeconds(2));
        session.wake(Set.of());
        assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);

        assertThat(database.column("SELECT second FROM muster_queue_rates"))
                .as("one row with another key")
                .singleElement()
                .isNotEqualTo(first);
    }

    private long pagesOfRoom(String queue, NotesSeen seen) throws SQLException {
        String room = new SqlFiles("public")
                .get("jobs/queue_room")
                .replaceFirst("= \\? AS", "IS NOT NULL AS")
                .replace(
                        "?::bigint[]",
                        "'{" + seen.held().stream().map(String::valueOf).collect(Collectors.joining(","))
                                + "}'::bigint[]")
                .replace("?::bigint", Long.toString(seen.upTo()))
                .replace("greatest(?,", "greatest(1,");
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off;"
                            + " SELECT set_config('muster.locked_queue', '" + queue + "', true)");
            return pagesRead(connection, "EXPLAIN (ANALYZE, BUFFERS, TIMING off) " + room);
        }
    }

    private long pagesFromTheFloors() throws SQLException {
        SweepFloors floors = FreshDatabase.floors(store);
        return pagesOf(floors.leases() + ", " + floors.expiry() + ", '"
                + floors.waiting().from() + "', NULL");
    }

    private long pagesOf(String floors) throws SQLException {
        String sql = "SELECT * FROM muster_overdue_duties('judge', '10 s', '15 s', '7 s', " + floors + ")";
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            // The plans of the function's statements are made at its first call.
            statement.execute(sql);
            return pagesRead(connection, "EXPLAIN (ANALYZE, BUFFERS, TIMING off) " + sql);
        }
    }

    private static long pagesRead(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            long pages = 0;
            // The first line with buffers is that of the whole statement.
            while (rows.next() && pages == 0) {
                if (rows.getString(1).contains("Buffers: shared")) {
                    Matcher matcher = PAGES.matcher(rows.getString(1));
                    while (matcher.find()) {
                        pages += Long.parseLong(matcher.group(2));
                    }
                }
            }
            return pages;
        }
    }
}
