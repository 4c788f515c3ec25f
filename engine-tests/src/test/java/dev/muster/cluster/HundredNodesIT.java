package dev.muster.cluster;

import static dev.muster.testing.Periods.measureFor;
import static dev.muster.testing.Periods.observeFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.testing.LongTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many nodes in one process. */
class HundredNodesIT extends NodesOnTheirOwnServerIT {
    private static final Logger log = LoggerFactory.getLogger(HundredNodesIT.class);

    @Test
    void manyNodesInOneProcessStayHealthyAndRunJobs() throws Exception {
        Map<String, String> small = Map.of(
                "database.pool_size", "1",
                "worker.concurrency", "1",
                "cluster.dead_threshold", "60s",
                "worker.lease", "60s");
        start("n0", small);
        atOnce(IntStream.range(1, 12).mapToObj(i -> "n" + i).toList(), id -> start(id, small));
        Muster asked = nodes.get(0);
        for (int i = 0; i < 20; i++) {
            asked.jobs().enqueue("idle", null);
        }
        await().until(() -> number("SELECT count(*) FROM muster_jobs") == 0);

        assertThat(number("SELECT count(*) FROM muster_job_history WHERE status = 'completed' AND attempt = 1"))
                .isEqualTo(20);
        assertThat(asked.nodes())
                .hasSize(12)
                .allSatisfy(node -> assertThat(node.status().text()).isEqualTo("active"));
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.health().ok())
                        .as(node.health().detail())
                        .isTrue());
    }

    @Test
    @LongTest(
            twin = HundredNodesIT.class,
            test = "manyNodesInOneProcessStayHealthyAndRunJobs",
            why = "a hundred nodes, how late their heartbeats are and what a job costs them")
    void aHundredNodesInOneProcessStayHealthy() throws Exception {
        Map<String, String> small = Map.of("database.pool_size", "1", "worker.concurrency", "1");
        start("n0", small);
        atOnce(IntStream.range(1, 100).mapToObj(i -> "n" + i).toList(), id -> start(id, small));
        Muster asked = nodes.get(0);
        List<Long> delays = new ArrayList<>();
        observeFor(
                WATCHED,
                Duration.ofMillis(200),
                () -> asked.nodes()
                        .forEach(node -> delays.add(node.heartbeatAge()
                                .minus(node.heartbeatInterval())
                                .toMillis())));
        delays.sort(null);
        long p99 = delays.get(delays.size() * 99 / 100);
        log.info("p99 heartbeat delay {} ms, the longest {} ms", p99, delays.get(delays.size() - 1));
        assertThat(asked.nodes())
                .hasSize(100)
                .allSatisfy(node -> assertThat(node.status().text()).isEqualTo("active"));
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.health().ok())
                        .as(node.health().detail())
                        .isTrue());
        assertThat(p99).isLessThan(1_000);
        aJobDoesNotBringThemAll();
    }

    /** With 100 nodes that have nothing else to do. Each of them used to answer each wake-up with a claim and a look. */
    private void aJobDoesNotBringThemAll() throws Exception {
        execute("CREATE EXTENSION pg_stat_statements");
        Figures figures = twentyJobsPerSecond(Duration.ofSeconds(8));
        log.info("{} nodes, 20 jobs/s: {}", nodes.size(), figures);
        assertThat(figures.claimsPerJob()).isBetween(1.0, 10.0);
        assertThat(figures.looksPerJob()).isLessThan(10);
        assertThat(figures.p50Millis()).isLessThan(500);
    }

    /** What was sent for each job, and how long after it was enqueued it was done. */
    record Figures(
            double claimsPerJob, double looksPerJob, double statementsPerJob, double p50Millis, double p99Millis) {}

    private Figures twentyJobsPerSecond(Duration time) throws Exception {
        Muster client = nodes.get(0);
        client.jobs().enqueue("idle", null);
        await().until(() -> number("SELECT count(*) FROM muster_jobs") == 0);
        execute("SELECT pg_stat_statements_reset()");
        int jobs = (int) (time.toMillis() / 50);
        enqueueEvery50Millis(client, jobs);
        await().until(() -> number("SELECT count(*) FROM muster_jobs") == 0);
        String latency =
                "SELECT percentile_disc(%s) WITHIN GROUP (ORDER BY date_part('epoch', finished_at - created_at))"
                        + " * 1000 FROM (SELECT * FROM muster_job_history ORDER BY finished_at DESC LIMIT " + jobs
                        + ") h";
        return new Figures(
                callsOf("%INSERT INTO public.muster_claims%") / jobs,
                callsOf("%public.muster_probe_backlog%") / jobs,
                callsOf("%") / jobs,
                number(latency.formatted("0.5")),
                number(latency.formatted("0.99")));
    }

    private static void enqueueEvery50Millis(Muster client, int jobs) throws InterruptedException {
        CountDownLatch toEnqueue = new CountDownLatch(jobs);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try {
            Runnable enqueue = () -> {
                if (toEnqueue.getCount() > 0) {
                    client.jobs().enqueue("idle", null);
                    toEnqueue.countDown();
                }
            };
            clock.scheduleAtFixedRate(enqueue, 0, 50, TimeUnit.MILLISECONDS);
            assertThat(toEnqueue.await(jobs * 50L + 30_000, TimeUnit.MILLISECONDS))
                    .isTrue();
        } finally {
            clock.shutdown();
        }
    }

    private double callsOf(String pattern) throws SQLException {
        return number("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '" + pattern + "'");
    }

    /** For docs/benchmarks.md: -Dmuster.herd.nodes=1,10,50,100 */
    @Test
    @EnabledIfSystemProperty(named = "muster.herd.nodes", matches = ".+")
    void whatAJobCostsByTheNumberOfNodes() throws Exception {
        Map<String, String> small = Map.of("database.pool_size", "1", "worker.concurrency", "1");
        boolean first = true;
        for (String count : System.getProperty("muster.herd.nodes").split(",")) {
            int wanted = Integer.parseInt(count);
            for (int i = nodes.size(); i < wanted; i++) {
                start("n" + i, small);
            }
            if (first) {
                execute("CREATE EXTENSION pg_stat_statements");
                first = false;
            }
            // The new ones find their pace.
            measureFor(Duration.ofSeconds(12));
            System.out.println(nodes.size() + " nodes, 20 jobs/s: " + twentyJobsPerSecond(Duration.ofSeconds(20)));
        }
    }
}
