package dev.muster.cluster;

import dev.muster.Muster;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes on a server of their own, so that what it counts and measures is of nothing else. */
abstract class NodesOnTheirOwnServerIT {
    /** A minute is what is promised; -Dmuster.quiet.seconds=60 measures it. */
    static final Duration WATCHED = Duration.ofSeconds(Integer.getInteger("muster.quiet.seconds", 12));

    final List<Muster> nodes = Collections.synchronizedList(new ArrayList<>());
    private EmbeddedPostgres server;
    String url;

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

    static <T> void atOnce(List<T> all, Consumer<T> action) {
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

    Muster start(String id, Map<String, String> settings) {
        Muster node = Muster.builder()
                .config(MusterConfig.defaults().with(settings).with(Map.of("database.url", url, "node.id", id)))
                .register(new Idle())
                .build();
        nodes.add(node);
        node.start();
        return node;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    double number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getDouble(1);
        }
    }
}
