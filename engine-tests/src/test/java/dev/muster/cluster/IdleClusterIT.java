package dev.muster.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.job.Job;
import dev.muster.leader.LeaderRole;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What many nodes cost that have nothing to do. On a server of its own: its figures are of nothing else. */
class IdleClusterIT {
    private static final Logger log = LoggerFactory.getLogger(IdleClusterIT.class);

    /** A minute is what is promised; -Dmuster.quiet.seconds=60 measures it. */
    private static final Duration WATCHED = Duration.ofSeconds(Integer.getInteger("muster.quiet.seconds", 12));

    private static final String LOOK_ALONE = "SELECT * FROM public.muster_due";

    private final List<Muster> nodes = Collections.synchronizedList(new ArrayList<>());
    private EmbeddedPostgres server;
    private String url;

    /** Something that a node can run. */
    static final class Idle {
        @Job("idle")
        public void idle() {}
    }

    @BeforeEach
    void startServer() {
        server = EmbeddedPostgres.builder()
                .setting("max_connections", "300")
                .setting("shared_preload_libraries", "pg_stat_statements")
                .start();
        url = server.databases().create("quiet");
    }

    @AfterEach
    void stop() {
        atOnce(List.copyOf(nodes), Muster::close);
        server.close();
    }

    private static <T> void atOnce(List<T> all, Consumer<T> action) {
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            CompletableFuture.allOf(all.stream()
                            .map(one -> CompletableFuture.runAsync(() -> action.accept(one), threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } finally {
            threads.shutdown();
        }
    }

    private Muster start(String id, Map<String, String> settings) {
        Muster node = Muster.builder()
                .config(MusterConfig.defaults().with(settings).with(Map.of("database.url", url, "node.id", id)))
                .register(new Idle())
                .build();
        nodes.add(node);
        node.start();
        return node;
    }

    @Test
    void anIdleNodeOfAStableClusterOfTenSendsLessThanOneStatementPerSecond() throws Exception {
        for (int i = 0; i < 10; i++) {
            start("n" + i, Map.of("cluster.heartbeat_interval", "500ms", "cluster.stale_threshold", "5s"));
        }
        nodes.get(0).jobs().enqueue("idle", null);
        await("all but the leader are quiet")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> nodes.get(0).nodes().stream()
                                .filter(node -> node.heartbeatInterval().toSeconds() >= 4)
                                .count()
                        == 9);
        execute("CREATE EXTENSION pg_stat_statements");
        execute("SELECT pg_stat_statements_reset()");
        long start = System.nanoTime();
        Thread.sleep(WATCHED.toMillis());
        Map<String, Long> calls = calls();
        double seconds = (System.nanoTime() - start) / 1e9;

        double perNode = calls.values().stream().mapToLong(Long::longValue).sum() / seconds / nodes.size();
        log.info("an idle node sends {} statements per second: {}", perNode, calls);
        assertThat(perNode).as(calls.toString()).isPositive().isLessThan(0.9);
    }

    @Test
    void aLeaderSaysThatItLivesAndLeadsAndAsksWhatThereIsToDoInOneStatement() throws Exception {
        Map<String, String> everySecond = Map.of(
                "cluster.heartbeat_interval", "1s",
                "leader.renew", "1s",
                "leader.check_interval", "1s",
                "worker.sweep_interval", "1s");
        start("n0", everySecond);
        execute("CREATE EXTENSION pg_stat_statements");
        await("in step")
                .pollDelay(Duration.ofSeconds(2))
                .until(() -> nodes.get(0).leadership(LeaderRole.SCHEDULER).isLeader());
        execute("SELECT pg_stat_statements_reset()");
        Thread.sleep(5_000);
        Map<String, Long> calls = calls();
        long looksAlone = calls.entrySet().stream()
                .filter(call -> call.getKey().startsWith(LOOK_ALONE))
                .mapToLong(Map.Entry::getValue)
                .sum();

        assertThat(looksAlone)
                .as("of five or so, those that did not come with a heartbeat: %s", calls)
                .isLessThan(3);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What was sent how often, but for what this test asks. */
    private Map<String, Long> calls() throws SQLException {
        String sql = "SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 60), sum(calls) FROM pg_stat_statements"
                + " WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY 1 ORDER BY 2 DESC";
        Map<String, Long> calls = new LinkedHashMap<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                calls.put(rows.getString(1), rows.getLong(2));
            }
        }
        return calls;
    }

    @Test
    void aHundredNodesInOneProcessStayHealthy() throws Exception {
        Map<String, String> small = Map.of("database.pool_size", "1", "worker.concurrency", "1");
        start("n0", small);
        atOnce(IntStream.range(1, 100).mapToObj(i -> "n" + i).toList(), id -> start(id, small));
        Muster asked = nodes.get(0);
        List<Long> delays = new ArrayList<>();
        long end = System.nanoTime() + WATCHED.toNanos();
        while (System.nanoTime() - end < 0) {
            for (NodeInfo node : asked.nodes()) {
                delays.add(node.heartbeatAge().minus(node.heartbeatInterval()).toMillis());
            }
            Thread.sleep(200);
        }
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
        await().atMost(Duration.ofSeconds(30)).until(() -> number("SELECT count(*) FROM muster_jobs") == 0);
        execute("SELECT pg_stat_statements_reset()");
        int jobs = (int) (time.toMillis() / 50);
        long start = System.nanoTime();
        for (int i = 0; i < jobs; i++) {
            long ahead = start + i * 50_000_000L - System.nanoTime();
            if (ahead > 0) {
                TimeUnit.NANOSECONDS.sleep(ahead);
            }
            client.jobs().enqueue("idle", null);
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> number("SELECT count(*) FROM muster_jobs") == 0);
        String latency =
                "SELECT percentile_disc(%s) WITHIN GROUP (ORDER BY date_part('epoch', finished_at - created_at))"
                        + " * 1000 FROM (SELECT * FROM muster_job_history ORDER BY finished_at DESC LIMIT " + jobs
                        + ") h";
        return new Figures(
                callsOf("%INSERT INTO public.muster_claims%") / jobs,
                callsOf("%public.muster_look%") / jobs,
                callsOf("%") / jobs,
                number(latency.formatted("0.5")),
                number(latency.formatted("0.99")));
    }

    private double callsOf(String pattern) throws SQLException {
        return number("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '" + pattern + "'");
    }

    private double number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getDouble(1);
        }
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
            await("the new ones have found their pace")
                    .pollDelay(Duration.ofSeconds(12))
                    .until(() -> true);
            System.out.println(nodes.size() + " nodes, 20 jobs/s: " + twentyJobsPerSecond(Duration.ofSeconds(20)));
        }
    }
}
