package dev.muster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cluster.NodeInfo;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.job.Job;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What many nodes cost that have nothing to do. On a server of its own: its figures are of nothing else. */
class QuietClusterIT {
    private static final Logger log = LoggerFactory.getLogger(QuietClusterIT.class);

    /** A minute is what is promised; -Dmuster.quiet.seconds=60 measures it. */
    private static final Duration WATCHED = Duration.ofSeconds(Integer.getInteger("muster.quiet.seconds", 12));

    private final List<Muster> nodes = new ArrayList<>();
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
        nodes.parallelStream().forEach(Muster::close);
        server.close();
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
    void anIdleNodeOfAStableClusterOfTenSendsAStatementInTwoSeconds() throws Exception {
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
        assertThat(perNode).as(calls.toString()).isPositive().isLessThan(0.5);
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
        for (int i = 0; i < 100; i++) {
            start("n" + i, small);
        }
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
    }
}
