package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.examples.ExampleApp;
import dev.muster.examples.Greetings;
import dev.muster.testing.LongTest;
import dev.muster.testing.Periods;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nodes coming up: all at once, with nothing to do, with no database. */
class NodeStartIT extends ChaosIT {
    private static final int NODES = 10;

    /** What a node rightly says if it, or the database, had to wait for a busy machine. */
    private static final List<String> AT_MOST_LATE = List.of(
            " failing, will keep trying: ",
            "the search for jobs that claims have missed took long",
            "Thread starvation or clock leap detected");

    @Test
    void tenAtOnceOnAnEmptyDatabaseAllComeUp() throws Exception {
        String name = "empty_" + Long.toHexString(System.nanoTime());
        String url = EmbeddedPostgres.shared().databases().create(name);
        List<Muster> nodes = new ArrayList<>();
        ExecutorService starters = Executors.newFixedThreadPool(NODES);
        try {
            CyclicBarrier together = new CyclicBarrier(NODES);
            List<Future<?>> starts = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                Muster node = Muster.builder()
                        .config(MusterConfig.defaults())
                        .database(url)
                        .set("node.id", "n" + i)
                        .set("database.pool_size", "3")
                        .register(new Greetings())
                        .build();
                nodes.add(node);
                starts.add(starters.submit(() -> {
                    together.await();
                    node.start();
                    return null;
                }));
            }
            for (Future<?> start : starts) {
                start.get(120, TimeUnit.SECONDS);
            }
            assertThat(nodes).allSatisfy(node -> assertThat(node.health().ok()).isTrue());
            assertThat(nodes.get(0).nodes()).hasSize(NODES);
        } finally {
            starters.shutdownNow();
            nodes.forEach(Muster::close);
            EmbeddedPostgres.shared().databases().drop(name);
        }
    }

    @Test
    void anIdleNodeIsSilent() {
        NodeProcess node = node("idle", Map.of("app", ExampleApp.class.getName()));
        await().atMost(SOON)
                .until(() -> node.output().contains(NodeProcess.READY)
                        && node.text().contains("daemon=price_feed node=idle"));
        int lines = node.output().size();

        Periods.nothingHappensFor(
                Duration.ofSeconds(3),
                () -> assertThat(node.output().stream()
                                .skip(lines)
                                .filter(line -> AT_MOST_LATE.stream().noneMatch(line::contains)))
                        .isEmpty());
    }

    @LongTest(
            twin = NodeStartIT.class,
            test = "aNodeWaitsForADatabaseThatIsAwayForAMoment",
            why = "a database that is there and does not let the node write")
    @Test
    void aNodeWaitsForALockOnTheTableOfNodes() throws Exception {
        NodeProcess node;
        try (Connection other = DriverManager.getConnection(database.url());
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE muster_nodes IN EXCLUSIVE MODE");
            node = launch("patient", Map.of());
            await().atMost(SOON)
                    .until(() -> node.text().contains("another session holds a lock on public.muster_nodes"));
            other.rollback();
        }
        node.awaitReady();
    }

    @Test
    void aNodeWaitsForADatabaseThatIsAwayForAMoment() {
        try (TcpProxy proxy = new TcpProxy(serverPort());
                MusterNodes nodes = new MusterNodes()) {
            proxy.refuse();
            NodeProcess node = nodes.command(List.of(
                    "node",
                    "--example",
                    "--url",
                    proxy.url(database.url()),
                    "--set",
                    "gateway.port=0",
                    "--wait-for-database",
                    "10m"));
            await().atMost(SOON).until(() -> node.text().contains("waiting for it, up to 600 s"));

            proxy.admit();

            MusterNodes.awaitUp(node);
        }
    }

    @Test
    void withoutItsDatabaseANodeSaysWhatIsWrongAndEnds() throws IOException {
        // A port that is taken and at which nobody listens.
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            int port = taken.getLocalPort();
            NodeProcess noServer =
                    launch("lost", Map.of("database.url", "jdbc:postgresql://127.0.0.1:" + port + "/app?user=app"));
            assertThat(noServer.exitCode(SOON)).isEqualTo(1);
            assertThat(noServer.text())
                    .contains("the database cannot be reached")
                    .contains("127.0.0.1:" + port);
        }
        NodeProcess noDatabase = launch(
                "wrong", Map.of("database.url", database.url().replaceFirst("(//[^/]+/)[^?]+", "$1no_such_database")));
        assertThat(noDatabase.exitCode(SOON)).isEqualTo(1);
        assertThat(noDatabase.text()).contains("\"no_such_database\" does not exist");
    }
}
