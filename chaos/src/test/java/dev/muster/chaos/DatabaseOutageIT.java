package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.testing.Measured;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** PostgreSQL goes away under load and comes back. Nobody is to blame: nothing is lost, and nothing is charged. */
class DatabaseOutageIT extends ChaosIT {
    /** How long it stays away; longer than any lease here. */
    private static final Duration OUTAGE = Duration.ofSeconds(Sizes.of(11, 20));

    private static final Duration RESUMES_WITHIN = Duration.ofSeconds(10);
    private static final String DATABASE = "outage";

    private static final Duration DRAIN = Duration.ofSeconds(2);

    /** There are half a dozen, and for each a node would wait 10 s. */
    private static final Duration STOP_MARGIN = Duration.ofSeconds(8);

    private EmbeddedPostgres server;
    private Load load;
    private NodeProcess a;
    private NodeProcess b;
    private List<String> incarnations;

    @BeforeEach
    void startServerAndNodes() {
        server = EmbeddedPostgres.builder().start();
        server.databases().create(DATABASE);
        // Nobody may be declared dead, although the outage is longer than all of these times. A busy machine does not
        // exceed them.
        Map<String, String> settings = Map.of(
                "database.url", server.jdbcUrl(DATABASE),
                "worker.drain_timeout", DRAIN.toSeconds() + "s",
                "worker.lease", "10s",
                "cluster.heartbeat_interval", "300ms",
                "cluster.stale_threshold", "5s",
                "cluster.dead_threshold", "10s");
        a = node("a", settings);
        b = node("b", settings);
        load = new Load(server.jdbcUrl(DATABASE));
    }

    @AfterEach
    void stopServer() {
        load.close();
        a.close();
        b.close();
        server.close();
    }

    @Test
    void aRestartAndAnOutageLongerThanTheLeaseAreSurvivedAndANodeLeavesInTimeMeanwhile() throws Exception {
        List<String> before = warmUp();

        server.restartImmediate();
        measured("that jobs run after a restart", () -> load.awaitMoreCompleted(SOON));
        server.stopImmediate();
        Periods.nothingHappensFor(
                OUTAGE, () -> assertThat(a.isAlive() && b.isAlive()).isTrue());
        server.start();
        measured("that jobs run after an outage", () -> load.awaitMoreCompleted(SOON));
        assertNothingLostOrCharged(load.finish(), before);

        server.stopImmediate();
        long told = System.nanoTime();
        a.terminate();
        a.exitCode(SOON);
        Measured.within(
                DRAIN.plus(STOP_MARGIN),
                Duration.ofNanos(System.nanoTime() - told),
                "the end of a node without its database");
        server.start();
    }

    private static void measured(String what, Runnable wait) {
        long begin = System.nanoTime();
        wait.run();
        Measured.within(RESUMES_WITHIN, Duration.ofNanos(System.nanoTime() - begin), what);
    }

    /** Both nodes have done all kinds of jobs; returns the threads they need for that. */
    private List<String> warmUp() throws Exception {
        load.start();
        load.awaitMoreCompleted(SOON);
        load.awaitMoreCompleted(SOON);
        incarnations = incarnations();
        assertThat(incarnations).hasSize(2);
        return List.of(threads(a), threads(b));
    }

    private List<String> incarnations() throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(DATABASE));
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT id || ' ' || incarnation FROM muster_nodes ORDER BY 1")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    private void assertNothingLostOrCharged(Map<JobId, JobInfo> jobs, List<String> threadsBefore) throws SQLException {
        assertThat(incarnations()).as("nobody was declared dead").isEqualTo(incarnations);
        assertThat(number("SELECT count(*) FROM muster_nodes WHERE status IN ('active', 'stale')"))
                .isEqualTo(2);
        assertThat(jobs).hasSizeGreaterThan(50);
        assertThat(jobs.values()).allSatisfy(job -> {
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.crashes()).as("crashes").isZero();
            // A count job talks to the database itself: losing it there is a failure of the handler.
            if (!job.name().equals("flaky") && !job.name().equals("count")) {
                assertThat(job.attempt()).as("attempt").isEqualTo(1);
            }
        });
        long counts =
                jobs.values().stream().filter(job -> job.name().equals("count")).count();
        assertThat(number("SELECT count(*) FROM example_counts")).isEqualTo(counts);
        assertThat(number("SELECT count(DISTINCT job_id) FROM example_counts")).isEqualTo(counts);
        assertThat(number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(number("SELECT count(*) FROM muster_job_history")).isEqualTo(jobs.size());
        assertNothingLeaked(a, threadsBefore.get(0));
        assertNothingLeaked(b, threadsBefore.get(1));
    }

    private void assertNothingLeaked(NodeProcess node, String threadsBefore) {
        await("connections given back").atMost(SOON).until(() -> load(node).startsWith("LOAD 0 "));
        await("threads")
                .atMost(SOON)
                .untilAsserted(() -> assertThat(threads(node)).isEqualTo(threadsBefore));
    }

    /** But for the daemon's: after an outage it may run on the other node. */
    private static String threads(NodeProcess node) {
        return load(node).replaceFirst("LOAD \\d+ ", "").replace("muster-daemon-price_feed, ", "");
    }

    private static String load(NodeProcess node) {
        return node.ask("load", line -> line.startsWith("LOAD "), SOON);
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(DATABASE));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
