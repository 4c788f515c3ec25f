package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Method;
import dev.muster.testing.LongTest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * With a million live jobs and a million ended ones no statement of a list or a search takes longer than 300 ms. With fewer of them and on any
 * machine: no statement visits the pages of all jobs one by one, and each has an index to find them by.
 */
@Order(1)
@MusterTest
class ManyJobsIT {
    private static final int MILLION = 1_000_000;
    private static final int MANY = 50_000;

    /** How many pages a statement may visit: fewer than it would if it looked up even half of the live jobs, or of the ended ones. */
    private static final long MOST_PAGES = MANY / 2;

    /** Dead rows that cannot be removed are walked over. That is one page for each, and a few for those that changed before they died. */
    private static final long MOST_PAGES_OVER_DEAD_ROWS = 3 * MANY;

    /** Live jobs have no index on their metadata, because each insert would pay for it. */
    private static final Set<String> READS_ALL_LIVE_JOBS = Set.of("/_api/jobs/counts?metadata.customer=nobody");

    private static final int LIMIT_MS = 300;

    /** Samples the statements of this database that run for longer than allowed. */
    private static final class Watch implements AutoCloseable {
        final Map<String, Long> slow = new ConcurrentSkipListMap<>();
        private final Thread thread;
        private final Connection connection;
        private volatile boolean over;

        Watch(Cluster cluster) throws SQLException {
            connection = cluster.database().dataSource().getConnection();
            thread = new Thread(this::look, "watch");
            thread.setDaemon(true);
            thread.start();
        }

        private void look() {
            String sql =
                    "SELECT extract(epoch FROM clock_timestamp() - query_start) * 1000, query FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
                            + " AND backend_type = 'client backend'"
                            + " AND clock_timestamp() - query_start > interval '" + LIMIT_MS + " ms'";
            try (Statement statement = connection.createStatement()) {
                while (!over) {
                    try (ResultSet rows = statement.executeQuery(sql)) {
                        while (rows.next()) {
                            slow.merge(rows.getString(2), rows.getLong(1), Math::max);
                        }
                    }
                }
            } catch (SQLException e) {
                slow.put("the watch itself failed: " + e, 0L);
            }
        }

        private void join() {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws SQLException {
            over = true;
            join();
            connection.close();
        }
    }

    /** Live and ended jobs with these numbers. */
    private static void fill(Cluster cluster, int from, int to) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE OR REPLACE FUNCTION test_id(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$"
                            + " SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid $$");
            statement.execute("INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name,"
                    + " queue, tags, args) SELECT test_id(i + " + MILLION
                    + "), t + interval '1 day', t, t, 50, 50, 'pending',"
                    + " 'job_' || i % 20, 'queue_' || i % 7, CASE WHEN i % 3 = 0 THEN ARRAY['common'] END, '{}'"
                    + " FROM (SELECT i, clock_timestamp() AS t FROM generate_series(" + from + ", " + to + ") i) e");
            statement.execute(
                    "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, started_at, priority,"
                            + " attempt, crashes, status, name, queue, capability, tags, args) SELECT test_id(i), t, t, t, t, 50, 1, 0,"
                            + " CASE i % 100 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'completed' END, 'job_' || i % 20,"
                            + " 'queue_' || i % 7, '', CASE WHEN i % 3 = 0 THEN ARRAY['common'] END, '{}'"
                            + " FROM (SELECT i, clock_timestamp() - (" + MILLION + " - i) * interval '5 ms' AS t"
                            + " FROM generate_series(" + from + ", " + to + ") i) e");
        }
    }

    @LongTest(
            twin = ManyJobsIT.class,
            test = "noListVisitsThePagesOfAllJobs",
            why = "a million live and a million ended jobs, and 300 ms")
    @Test
    void everyListIsFast(Cluster cluster) throws Exception {
        fill(cluster, 1, MILLION);
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("node.mode", "observer"));
        assertThat(gateway.get("/_api/queues").status()).isEqualTo(200);
        assertFast(cluster, gateway, lists());
    }

    @Test
    void noListVisitsThePagesOfAllJobs(Cluster cluster) throws Exception {
        ExplainedDataSource source = new ExplainedDataSource(cluster.database().dataSource());
        fill(cluster, 1, MANY);
        cluster.database().execute("VACUUM (ANALYZE) muster_jobs, muster_job_history");
        try (Muster muster = observer(source)) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            assertFewPages(source, gateway, lists(), MOST_PAGES);
        }
    }

    private static Muster observer(ExplainedDataSource source) {
        Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("node.mode", "observer")
                .set("gateway.port", "0")
                .build();
        muster.start();
        return muster;
    }

    private static void assertFewPages(ExplainedDataSource source, GatewayNode gateway, List<String> paths, long most) {
        SoftAssertions softly = new SoftAssertions();
        int explained = 0;
        for (String path : paths) {
            source.forget();
            // On a busy machine a statement may take longer than the gateway lets it.
            await(path).until(() -> gateway.get(path).status() == 200);
            explained += source.visits().size();
            source.visits()
                    .forEach((sql, visit) -> softly.assertThat(visit.pages())
                            .as("pages of %s\n%s\n%s", path, sql, visit.plan())
                            .isLessThan(most));
            source.wholeTables()
                    .forEach((sql, plan) -> softly.assertThat(plan)
                            .as("the plan of %s, which has to find jobs by an index\n%s", path, sql)
                            .doesNotContain(
                                    READS_ALL_LIVE_JOBS.contains(path)
                                            ? "Seq Scan on muster_job_history"
                                            : "Seq Scan on muster_job"));
        }
        softly.assertAll();
        assertThat(explained).as("the statements that were explained").isGreaterThan(paths.size() / 2);
    }

    private static List<String> lists() {
        List<String> paths = new ArrayList<>();
        // Counting what could be retried is no list; it reads up to 100,000 rows.
        Routes.all().stream()
                .filter(route -> !route.path().endsWith("/retryable"))
                // It has no end; EndedJobsPlanIT looks at how its statements are planned.
                .filter(route -> !route.path().equals("/_api/events"))
                .filter(route ->
                        route.method() == Method.GET && route.pathParameters().isEmpty())
                .filter(route -> route.scope().isPresent())
                .map(Route::path)
                .forEach(paths::add);
        for (String filter : List.of(
                "status=pending",
                "status=failed",
                "status=running",
                "status=completed",
                "status=cancelled",
                "status=waiting",
                "name=job_7",
                "name=nobody",
                "queue=queue_3",
                "queue=nobody",
                "tag=common",
                "tag=nobody",
                "metadata.customer=nobody",
                "name=job_7&queue=queue_3&status=failed",
                "tag=common&name=job_3",
                "status=failed&status=cancelled&name=nobody",
                "limit=1000",
                "status=expired")) {
            paths.add("/_api/jobs?" + filter);
            if (!filter.startsWith("limit")) {
                paths.add("/_api/jobs/counts?" + filter);
            }
        }
        return paths;
    }

    private static void assertFast(Cluster cluster, GatewayNode gateway, List<String> paths) throws Exception {
        String key = gateway.key(Scope.ADMIN);
        List<String> failed = new ArrayList<>();
        Map<String, Long> slow;
        try (Watch watch = new Watch(cluster)) {
            for (String path : paths) {
                Response answer = gateway.send("GET", path, key, null);
                if (answer.status() != 200) {
                    failed.add(path + ": " + answer.body());
                }
            }
            slow = watch.slow;
        }
        assertThat(failed).isEmpty();
        assertThat(slow).isEmpty();
    }

    /** A transaction that stays open keeps the database from removing dead rows, which every search from the beginning then reads. */
    @LongTest(
            twin = ManyJobsIT.class,
            test = "theDashboardVisitsFewPagesWhileDeadRowsCannotBeRemoved",
            why = "a million dead rows, and 300 ms")
    @Test
    void theDashboardIsFastWhileDeadRowsCannotBeRemoved(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("node.mode", "observer"));
        gateway.key(Scope.ADMIN);
        try (Connection pinned = cluster.database().dataSource().getConnection();
                Statement statement = pinned.createStatement()) {
            pinned.setAutoCommit(false);
            pinned.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1");
            die(cluster, MILLION);

            assertFast(cluster, gateway, DASHBOARD);
            pinned.rollback();
        }
    }

    @Test
    void theDashboardVisitsFewPagesWhileDeadRowsCannotBeRemoved(Cluster cluster) throws Exception {
        ExplainedDataSource source = new ExplainedDataSource(cluster.database().dataSource());
        try (Muster muster = observer(source);
                Connection pinned = cluster.database().dataSource().getConnection();
                Statement statement = pinned.createStatement()) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            pinned.setAutoCommit(false);
            pinned.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1");
            die(cluster, MANY);

            assertFewPages(source, gateway, DASHBOARD, MOST_PAGES_OVER_DEAD_ROWS);
            pinned.rollback();
        }
    }

    private static final List<String> DASHBOARD = List.of(
            "/_api/overview",
            "/_api/jobs/counts",
            "/_api/jobs/counts?queue=queue_1",
            "/_api/jobs/counts?name=job_1",
            "/_api/stats/minutes",
            "/_api/concurrency_groups",
            "/_api/rate_limits");

    /** Jobs and jobs that wait for admission that have been due and are gone. */
    private static void die(Cluster cluster, int dead) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name,"
                    + " queue, args, concurrency_group, group_position) SELECT gen_random_uuid(),"
                    + " CASE WHEN i % 2 = 0 THEN timestamptz 'infinity' ELSE t END, t, t, 50, 50,"
                    + " CASE WHEN i % 2 = 0 THEN 'waiting' ELSE 'pending' END, 'job_' || i % 20, 'queue_' || i % 7, '{}',"
                    + " CASE WHEN i % 2 = 0 THEN 'fifo/key' END, CASE WHEN i % 2 = 0 THEN t END"
                    + " FROM (SELECT i, clock_timestamp() AS t FROM generate_series(1, " + dead + ") i) e");
            statement.execute("DELETE FROM muster_jobs");
        }
    }
}
