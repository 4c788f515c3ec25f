package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.testing.Measured;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
import dev.muster.workflow.RunRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Thousands of sleeping runs, with the settings that a user gets, on a server of their own that counts statements. */
class SleepersIT {
    private static final Logger log = LoggerFactory.getLogger(SleepersIT.class);
    private static final int RUNS = Sizes.of(2_000, 10_000);
    private static final int CHUNK = 1_000;
    private static final Duration LONG = Duration.ofSeconds(120);

    /** This many are due while the test waits, two hundred in a second; the others sleep for another hour. */
    private static final int WOKEN = Sizes.of(300, 2_000);

    private static final long MILLIS_BETWEEN = 5;

    /** The first one is due so long after the clock was moved, by when the new nodes should be up. */
    private static final Duration UNTIL_FIRST = Duration.ofSeconds(Sizes.of(2, 10));

    private static final Duration MEASURED = Duration.ofSeconds(6);
    private static final Duration PROMISED = Duration.ofSeconds(1);

    private final List<NodeProcess> nodes = new ArrayList<>();
    private EmbeddedPostgres server;
    private String url;

    @BeforeEach
    void start() {
        server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .start();
        url = server.databases().create("sleepers");
    }

    @AfterEach
    void stop() {
        nodes.forEach(NodeProcess::close);
        server.close();
    }

    private NodeProcess node(String id) {
        NodeProcess node = NodeProcess.launch(
                NodeMain.class,
                ChaosIT.JVM_OPTIONS,
                List.of("app=" + Sleepers.class.getName(), "database.url=" + url, "node.id=" + id));
        nodes.add(node);
        return node;
    }

    private String ask(String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private long number(String sql) {
        return Long.parseLong(ask(sql));
    }

    private long withStatus(String status) {
        return number("SELECT count(*) FROM muster_workflow_runs WHERE status = '" + status + "'");
    }

    private static int threads(NodeProcess node) {
        String load = node.ask("load", line -> line.startsWith("LOAD "), LONG);
        return load.split(",").length;
    }

    @Test
    void sleepersCostNoThreadsAndNoStatementsSurviveARestartOfAllNodesAndWakeInTime() {
        NodeProcess first = node("a").awaitReady();
        int threadsBefore = threads(first);
        startAll();
        await("all asleep").atMost(LONG).until(() -> withStatus("sleeping") == RUNS);

        assertThat(threads(first)).as("threads").isLessThan(threadsBefore + 50);
        if (Sizes.full()) {
            node("b").awaitReady();
            double perSecond = statementsPerSecond();
            log.info("two nodes with {} sleeping runs send {} statements per second", RUNS, perSecond);
            assertThat(perSecond).isLessThan(20);
        }

        nodes.forEach(NodeProcess::terminate);
        nodes.forEach(node -> node.exitCode(LONG));
        moveClock();
        node("c").awaitReady();
        String up = ask("SELECT muster_clock()");

        await("awake").atMost(LONG).until(() -> withStatus("completed") == WOKEN);
        assertThat(withStatus("sleeping")).isEqualTo(RUNS - WOKEN);
        String asked = " FROM muster_workflow_runs r JOIN muster_workflow_steps s ON s.run_id = r.id"
                + " WHERE r.status = 'completed'";
        assertThat(number("SELECT count(*)" + asked + " AND r.finished_at < s.due_at"))
                .as("too early")
                .isZero();
        String late = "(extract(epoch FROM r.finished_at - s.due_at) * 1000)";
        String dueInTime = asked + " AND s.due_at > '" + up + "'";
        Measured.within(
                PROMISED,
                Duration.ofMillis(number("SELECT coalesce(max(" + late + "), 0)::int" + dueInTime)),
                "the last sleeper after it was due");
    }

    private void startAll() {
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults().with("database.url", url))
                .build()) {
            long begin = number("SELECT (extract(epoch FROM muster_clock() + interval '1 hour') * 1000)::bigint");
            for (int chunk = 0; chunk < RUNS; chunk += CHUNK) {
                client.workflows()
                        .startAll(LongStream.range(chunk, chunk + CHUNK)
                                .mapToObj(i -> RunRequest.of("sleeper", begin + dueAfter(i)))
                                .toList());
            }
        }
    }

    private static long dueAfter(long number) {
        return number * MILLIS_BETWEEN
                + (number < WOKEN ? 0 : Duration.ofHours(1).toMillis());
    }

    /** Moves the database's clock, while no node is there, to shortly before the first sleeper is due. */
    private void moveClock() {
        String by = ask("SELECT extract(epoch FROM min(wake_at) - muster_clock() - interval '" + UNTIL_FIRST.toSeconds()
                + " s')::text FROM muster_workflow_runs");
        for (String function : List.of(
                "muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT clock_timestamp()",
                "muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS"
                        + " 'SELECT statement_timestamp()")) {
            execute("CREATE OR REPLACE FUNCTION " + function + " + interval ''" + by + " seconds'''");
        }
    }

    private double statementsPerSecond() {
        execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        execute("SELECT pg_stat_statements_reset()");
        long start = System.nanoTime();
        Periods.measureFor(MEASURED);
        long calls = number("SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'");
        return calls / ((System.nanoTime() - start) / 1e9);
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
