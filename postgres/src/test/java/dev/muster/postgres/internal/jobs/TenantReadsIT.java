package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a tenant asks for reads its own jobs alone, however many others have, and whatever the statistics say. */
class TenantReadsIT {
    private static final int MANY = 100_000;
    private static final int FEW = 20;

    /** More than a page of jobs and the way to it take. */
    private static final int PAGES = 700;

    private static final JobId NEWEST = new JobId(new UUID(-1, -1));
    private static final OffsetDateTime FAR = OffsetDateTime.of(2200, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    private static final SqlFiles FILES = new SqlFiles("public");
    private static FreshDatabase database;

    @BeforeAll
    static void fill() {
        database = new FreshDatabase();
        database.execute("ALTER TABLE muster_jobs SET (autovacuum_enabled = off)");
        database.execute(
                "CREATE FUNCTION test_id(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$"
                        + " SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid $$");
        // The few jobs are the oldest ones, so that a search that walks back along all ids meets the many first.
        insert("small", 0, FEW);
        insert("large", 1_000, MANY);
    }

    private static void insert(String tenant, int from, int count) {
        String jobs = " FROM (SELECT i, clock_timestamp() + i * interval '1 ms' AS t FROM generate_series(" + (from + 1)
                + ", " + (from + count) + ") i) e";
        String metadata = "'{\"tenant\": \"" + tenant + "\"}'";
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args,"
                        + " metadata) SELECT test_id(i), t + interval '1 day', t, t, 50, 50, 'pending', 'later', 'mail', '{}', "
                        + metadata
                        + jobs);
        database.execute(
                "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, started_at, priority, attempt,"
                        + " crashes, status, name, queue, capability, args, metadata) SELECT test_id(i + 1000000), clock_timestamp(), t, t, t,"
                        + " 50, 1, 0, CASE i % 2 WHEN 0 THEN 'failed' ELSE 'completed' END, 'done', 'mail', '', '{}', "
                        + metadata + jobs);
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private static JobQuery of(String tenant) {
        return JobQuery.all().metadata("tenant", tenant);
    }

    /** What a statement did. */
    private record Explained(int pages, String plan) {}

    private static Explained explain(String name, Map<String, String> parts, Binder binder) throws SQLException {
        try (Connection connection = database.transaction();
                Statement settings = connection.createStatement();
                PreparedStatement statement =
                        connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + FILES.get(name, parts))) {
            settings.execute(FILES.get("transactions/reading"));
            binder.bind(new Params(statement));
            StringBuilder plan = new StringBuilder();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            connection.rollback();
            Matcher buffers = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?")
                    .matcher(plan);
            assertThat(buffers.find()).isTrue();
            return new Explained(number(buffers.group(1)) + number(buffers.group(2)), plan.toString());
        }
    }

    @FunctionalInterface
    private interface Binder {
        void bind(Params params) throws SQLException;
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    private static Map<String, Explained> reads(String tenant) throws SQLException {
        JobQuery query = of(tenant);
        JobFilter filter = new JobFilter(query);
        JobFilter changes = JobFilter.forChanges(query);
        JobFilter retryable = JobFilter.forChanges(query.status(JobStatus.FAILED));
        JobFilter anywhere = JobFilter.fromAnywhere(query.name("nothing"));
        Map<String, Explained> reads = new LinkedHashMap<>();
        reads.put("list", explain("jobs/list", Map.of("where", filter.where(), "order", filter.order(" DESC")), p -> {
            filter.bind(p);
            p.number(100);
            filter.bind(p);
            p.number(100).number(100);
        }));
        reads.put(
                "counts",
                explain(
                        "jobs/counts_by_index",
                        Map.of("where", filter.where(), "order", " ORDER BY " + filter.order("")),
                        p -> {
                            filter.bind(p);
                            p.number(1_000);
                            filter.bind(p);
                            p.number(1_000);
                        }));
        JobFilter next = new JobFilter(query.before(id(500_000)));
        reads.put("next page", explain("jobs/list", Map.of("where", next.where(), "order", next.order(" DESC")), p -> {
            next.bind(p);
            p.number(100);
            next.bind(p);
            p.number(100).number(100);
        }));
        reads.put(
                "search",
                explain(
                        "jobs/search",
                        Map.of(
                                "filter", anywhere.condition(),
                                "search", anywhere.search(),
                                "order", anywhere.searchOrder(),
                                "live", "",
                                "ended", ""),
                        p -> {
                            for (int table = 0; table < 2; table++) {
                                anywhere.bind(p);
                                anywhere.bindSearch(p, NEWEST);
                                p.number(500);
                            }
                            p.number(499).number(499).number(100);
                        }));
        reads.put(
                "cancel",
                explain(
                        "jobs/cancel_some",
                        Map.of("after", changes.after(), "filter", changes.andRest(), "order", changes.order("")),
                        p -> {
                            changes.bindAfter(p, id(50_000));
                            changes.bindRest(p);
                            p.number(10);
                        }));
        reads.put(
                "count retryable",
                explain(
                        "jobs/count_retryable",
                        Map.of("filter", retryable.and(), "order", " ORDER BY " + retryable.order(""), "limit", "100"),
                        retryable::bind));
        reads.put(
                "retryable",
                explain(
                        "jobs/retryable_of_tenant",
                        Map.of("after", retryable.after(), "filter", retryable.andRest(), "order", retryable.order("")),
                        p -> {
                            p.time(FAR);
                            retryable.bindAfter(p, id(1_050_000));
                            retryable.bindRest(p);
                            p.number(100);
                        }));
        return reads;
    }

    private static JobId id(long i) {
        return new JobId(
                UUID.fromString(database.column("SELECT test_id(" + i + ")").get(0)));
    }

    private static void assertBounded(String when) throws SQLException {
        for (String tenant : Set.of("small", "large", "nobody")) {
            for (Map.Entry<String, Explained> read : reads(tenant).entrySet()) {
                assertThat(read.getValue().pages())
                        .as(
                                "pages that %s of %s reads, %s: %s",
                                read.getKey(), tenant, when, read.getValue().plan())
                        .isLessThan(PAGES);
                assertThat(read.getValue().plan())
                        .containsPattern("using (muster_jobs_tenant|muster_job_history_\\d+_expr_id_idx)")
                        .doesNotContain("Seq Scan on muster_jobs");
            }
        }
    }

    @Test
    void aTenantReadsItsOwnJobsAlone() throws SQLException {
        assertBounded("never analyzed");
        database.execute("ANALYZE muster_jobs, muster_job_history");
        assertBounded("analyzed");
    }

    /** Not even the position that a search has got to is one of another tenant. */
    @Test
    void aSearchTellsNothingOfTheJobsOfOthers() {
        JobPage none = database.store().jobReader().search(of("small").name("nothing"), Duration.ZERO);
        assertThat(none.jobs()).isEmpty();
        assertThat(none.next()).isEmpty();
        assertThat(none.searchedBackTo()).isEmpty();

        // What takes too long falls back to a search job by job, also if the query names its jobs.
        JobFilter filter = JobFilter.fromAnywhere(of("small").ids(Set.of(id(1))));
        assertThat(filter.search()).contains("tenant");
        assertThat(filter.searchOrder()).startsWith("metadata ->> 'tenant'");
    }

    @Test
    @LongTest(
            twin = TenantReadsIT.class,
            test = "aTenantReadsItsOwnJobsAlone",
            why = "measures times beside a tenant with 100,000 live and 100,000 ended jobs")
    void aTenantWithManyJobsDoesNotSlowTheListsOfAnother() {
        for (String tenant : Set.of("small", "large")) {
            for (int i = 0; i < 5; i++) {
                long started = System.nanoTime();
                JobPage page = database.store().jobReader().search(of(tenant), Duration.ofMillis(250));
                database.store().jobReader().counts(of(tenant));
                Measured.within(
                        Duration.ofMillis(300),
                        Duration.ofNanos(System.nanoTime() - started),
                        "a list of the tenant " + tenant + ", and its counts");
                assertThat(page.jobs()).isNotEmpty();
                assertThat(page.searchedBackTo()).isEmpty();
            }
        }
    }
}
