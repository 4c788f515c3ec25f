package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.SqlFiles;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people ask is answered from a bounded number of rows, however many there are. */
class BoundedReadsIT {
    private static final int FUTURE = 100_000;
    private static final int ENDED = 80_000;
    private static final JobId OLDEST = new JobId(new UUID(0x7000L, 1));
    private static FreshDatabase database;

    @BeforeAll
    static void fill() {
        database = new FreshDatabase();
        // The planner must not need statistics: nobody has analyzed the tables when the rows have just come.
        database.execute("ALTER TABLE muster_jobs SET (autovacuum_enabled = off)");
        database.execute(
                "CREATE FUNCTION test_id(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$"
                        + " SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid $$");
        insertPending("test_id(i)", "clock_timestamp() + interval '1 day'", "'later'", "'mail'", FUTURE);
        insertPending("test_id(i + 300000)", "clock_timestamp() - interval '5 minutes'", "'now'", "'small'", 50);
        database.execute(
                "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, started_at, priority, attempt,"
                        + " crashes, status, name, queue, capability, args)"
                        + " SELECT test_id(i + 400000), t, t, t, t, 50, 1, 0, CASE i % 1000 WHEN 0 THEN 'failed' ELSE 'completed' END,"
                        + " 'done', 'mail', '', '{}' FROM (SELECT i, clock_timestamp() - i * interval '1 ms' AS t"
                        + " FROM generate_series(1, " + ENDED + ") i) e");
        database.execute(
                "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes,"
                        + " status, name, queue, capability, args) SELECT '" + OLDEST
                        + "', t, t, t, 50, 1, 0, 'completed', 'rare', 'mail', '', '{}' FROM clock_timestamp() t");
    }

    private static void insertPending(String id, String readyAt, String name, String queue, int count) {
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args)"
                        + " SELECT " + id + ", " + readyAt
                        + " + i * interval '1 ms', clock_timestamp(), clock_timestamp(), 50, 50,"
                        + " 'pending', " + name + ", " + queue + ", '{}' FROM generate_series(1, " + count + ") i");
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void queuesAreCountedUpToTenThousand() throws SQLException {
        Map<String, QueueInfo> queues = database.store().queues().list().stream()
                .collect(Collectors.toMap(QueueInfo::name, Function.identity()));
        QueueInfo mail = queues.get("mail");
        assertThat(mail.pending()).isEqualTo(10_000);
        assertThat(mail.atLeast()).containsExactly(JobStatus.PENDING);
        assertThat(mail.oldestDue()).isEmpty();
        QueueInfo small = queues.get("small");
        assertThat(small.pending()).isEqualTo(50);
        assertThat(small.atLeast()).isEmpty();
        assertThat(small.oldestDue()).isPresent();

        assertThat(pagesRead(new SqlFiles("public").get("queues/list")))
                .as("pages, of " + FUTURE / 13 + " that the live table has")
                .isLessThan(2_500);
    }

    /** The statistics know of one small graph, as they do when the first large one has just been submitted. */
    @Test
    void theParentsOfALargeGraphAreLookedUpOneByOne() throws SQLException {
        database.execute("ALTER TABLE muster_graph_tasks SET (autovacuum_enabled = off)");
        database.execute("ALTER TABLE muster_graph_edges SET (autovacuum_enabled = off)");
        insertChain(1, 2);
        database.execute("ANALYZE muster_graph_tasks, muster_graph_edges");
        insertChain(2, 2_000);

        String edges = new SqlFiles("public")
                .get("graphs/edges")
                .replace("public.", "")
                .replace("?", "test_id(2)");
        assertThat(pagesRead(edges)).as("with the planner's own choices").isLessThan(20_000);
    }

    private static void insertChain(int graph, int tasks) {
        database.execute(
                "INSERT INTO muster_graph_tasks (graph_id, number, job_id, parents_open, required_open, priority, trigger,"
                        + " task_id, name, queue, capability, inputs) SELECT test_id(" + graph
                        + "), i, gen_random_uuid(), 1, 1, 50,"
                        + " 'all_success', 't' || i, 'a', 'default', '', '{}' FROM generate_series(1, " + tasks
                        + ") i");
        database.execute("INSERT INTO muster_graph_edges (graph_id, parent, child, required) SELECT test_id(" + graph
                + "), i - 1, i, true FROM generate_series(2, " + tasks + ") i");
    }

    @Test
    void viewsDoNotReadWhatIsNotDue() throws SQLException {
        assertThat(database.column("SELECT count(*) || ' ' || min(queue) FROM muster_stuck"))
                .containsExactly("50 small");
        assertThat(pagesRead("SELECT * FROM muster_stuck")).isLessThan(500);
        assertThat(pagesRead("SELECT * FROM muster_cluster")).isLessThan(500);
    }

    @Test
    void aSearchEndsWhenTimeIsUpAndCanBeGoneOnWith() {
        PostgresStore store = database.store();
        List<JobId> found = new ArrayList<>();
        JobQuery query = JobQuery.all().name("rare");
        JobPage page = store.jobReader().search(query, Duration.ZERO);
        assertThat(page.jobs()).isEmpty();
        assertThat(page.searchedBackTo()).isPresent();
        int pages = 1;
        while (page.next().isPresent()) {
            page = store.jobReader().search(query.before(page.next().get()), Duration.ofMillis(50));
            page.jobs().forEach(job -> found.add(job.id()));
            pages++;
        }
        assertThat(found).containsExactly(OLDEST);
        assertThat(pages).isGreaterThan(1);
        assertThat(page.searchedBackTo()).isEmpty();
        assertThat(store.jobReader().list(query)).extracting(JobInfo::id).containsExactly(OLDEST);
    }

    @Test
    void pagesOfBothTablesJoinWithoutGapsOrRepetition() {
        PostgresStore store = database.store();
        JobQuery query = JobQuery.all().queue("mail").limit(10_000);
        List<JobId> found = new ArrayList<>();
        JobPage page = store.jobReader().search(query, Duration.ofMinutes(2));
        found.addAll(page.jobs().stream().map(JobInfo::id).toList());
        while (page.next().isPresent() && found.size() < 100_000) {
            page = store.jobReader().search(query.before(page.next().get()), Duration.ofMinutes(2));
            found.addAll(page.jobs().stream().map(JobInfo::id).toList());
        }
        assertThat(found).doesNotHaveDuplicates().hasSize(100_000);
        assertThat(found.get(ENDED - 1)).isEqualTo(id(400_001));
        assertThat(found.get(ENDED)).isEqualTo(id(FUTURE));
    }

    private static JobId id(long i) {
        return new JobId(
                UUID.fromString(database.column("SELECT test_id(" + i + ")").get(0)));
    }

    @Test
    void deadLettersAreFoundByTheirIndex() {
        PostgresStore store = database.store();
        JobPage failed =
                store.jobReader().search(JobQuery.all().status(JobStatus.FAILED, JobStatus.EXPIRED), Duration.ZERO);
        assertThat(failed.jobs()).hasSize(ENDED / 1_000).allMatch(job -> job.status() == JobStatus.FAILED);
        assertThat(failed.jobs().get(0).id()).isEqualTo(id(400_000 + ENDED));
        assertThat(failed.searchedBackTo()).isEmpty();
        JobPage two =
                store.jobReader().search(JobQuery.all().status(JobStatus.FAILED).limit(2), Duration.ZERO);
        assertThat(two.next()).contains(two.jobs().get(1).id());
        JobPage running =
                store.jobReader().search(JobQuery.all().status(JobStatus.RUNNING, JobStatus.CLAIMED), Duration.ZERO);
        assertThat(running).isEqualTo(new JobPage(List.of(), running.next(), running.searchedBackTo()));
        assertThat(running.next()).isEmpty();
    }

    /** 200 MB of args would be twice as much in the driver's rows and the texts made of them. */
    @Test
    void theDriverReadsNoMoreThanAPageOfLargeJobs() {
        try (FreshDatabase large = new FreshDatabase()) {
            large.execute(
                    "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args)"
                            + " SELECT gen_random_uuid(), t, t, t, 50, 50, 'pending', 'large', 'mail', to_jsonb(repeat('x', 1000000))"
                            + " FROM generate_series(1, 200), (SELECT clock_timestamp() AS t) now");
            JobQuery query = JobQuery.all().limit(1_000);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            large.store().jobReader().search(JobQuery.all().limit(1), Duration.ofMinutes(2));
            long before = threads.getCurrentThreadAllocatedBytes();

            JobPage page = large.store().jobReader().search(query, Duration.ofMinutes(2));

            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(120_000_000);
            assertThat(page.jobs()).hasSize(16);
        }
    }

    /** Pages of tables and indexes that a statement reads with the settings for what people ask. */
    private static int pagesRead(String sql) throws SQLException {
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            if (!sql.contains("FROM muster_")) {
                statement.execute(new SqlFiles("public").get("transactions/reading"));
            }
            ResultSet rows = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) " + sql);
            Pattern buffers = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");
            int pages = 0;
            while (rows.next() && pages == 0) {
                Matcher matcher = buffers.matcher(rows.getString(1));
                if (matcher.find()) {
                    pages = number(matcher.group(1)) + number(matcher.group(2));
                }
            }
            connection.rollback();
            return pages;
        }
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
