package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.testing.LongTest;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node with little memory and jobs with large args. */
class SmallHeapIT extends ChaosIT {
    private static final int SMALL = Sizes.of(1_000, 3_000);
    private static final int LARGE = Sizes.of(800, 2_000);

    /** What compresses well looks small to the database; what does not is as large there as here. */
    private static final String COMPRESSIBLE = "repeat('x', 150000)";

    /** Nothing repeats within the 4 kB that the compression looks back. */
    private static final String INCOMPRESSIBLE =
            "repeat((SELECT string_agg(md5(n || ' ' || i), '') FROM generate_series(1, 256) n), 18)";

    @Test
    void manyJobsWith150KilobytesOfArgsCompleteOn64Megabytes() throws SQLException {
        // Small ones first: they teach the node to claim a thousand at a time.
        insert(SMALL, "'small'");
        insert(LARGE / 2, COMPRESSIBLE);
        insert(LARGE / 2, INCOMPRESSIBLE);
        NodeProcess node = launch(
                "small-heap",
                Map.of("worker.concurrency", "16", "worker.renew", "10s"),
                Map.of("_JAVA_OPTIONS", "-Xmx64m"));
        await().atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> !node.isAlive() || completed() == SMALL + LARGE);

        assertThat(completed()).as(node.text()).isEqualTo(SMALL + LARGE);
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
    }

    @LongTest(
            twin = SmallHeapIT.class,
            test = "manyJobsWith150KilobytesOfArgsCompleteOn64Megabytes",
            why = "ten thousand results for one task")
    @Test
    void aTaskTakesTheResultsOfTenThousandOthersOn64Megabytes() {
        int parts = 9_999;
        List<TaskRequest> tasks = new ArrayList<>();
        IntStream.range(0, parts).forEach(i -> tasks.add(TaskRequest.of("part-" + i, "part", i)));
        String[] ids = tasks.stream().map(TaskRequest::id).toArray(String[]::new);
        tasks.add(TaskRequest.of(
                        "gather",
                        "gather",
                        Stream.of(ids).map(TaskRequest::from).toList())
                .dependsOn(ids));
        GraphId graph = client.graphs().submit(GraphRequest.of(tasks));
        NodeProcess node =
                launch("small-heap", Map.of("app", Gathering.class.getName()), Map.of("_JAVA_OPTIONS", "-Xmx64m"));
        await().atMost(Duration.ofMinutes(4))
                .until(() -> !node.isAlive()
                        || client.graphs().find(graph).orElseThrow().status().isTerminal());

        assertThat(client.graphs().task(graph, "gather").orElseThrow().result())
                .as(node.text())
                .contains(String.valueOf((long) parts * Gathering.CHARACTERS));
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
    }

    private void insert(int jobs, String text) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                            + " SELECT gen_random_uuid(), 'my_task', 'default', 50, 50, 'pending', t, t, t,"
                            + " jsonb_build_object('key', " + text + ")"
                            + " FROM generate_series(1, " + jobs + ") i, LATERAL (SELECT clock_timestamp() AS t) s");
        }
    }

    private long completed() throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT count(*) FROM muster_job_history WHERE name = 'my_task' AND status = 'completed'")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
