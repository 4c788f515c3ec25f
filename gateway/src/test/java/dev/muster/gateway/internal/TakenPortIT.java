package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A node whose port is taken does not start, says why, and leaves nothing open. Isolated: it looks at the threads of the process. */
@Isolated
@MusterTest
class TakenPortIT {
    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().toLowerCase(Locale.ROOT).contains("muster")
                        || thread.getName().startsWith("HikariPool"))
                .collect(Collectors.toSet());
    }

    /** The sessions of the node, whose pool is its own. */
    private static int sessions(Cluster cluster) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static Muster node(Cluster cluster, int port, int healthPort) {
        return Muster.builder()
                .config(MusterConfig.defaults())
                .database(cluster.database().url())
                .set("gateway.port", String.valueOf(port))
                .set("gateway.health_port", String.valueOf(healthPort))
                .build();
    }

    private static void assertStartFails(Cluster cluster, int port, int healthPort, int taken) throws Exception {
        cluster.client().migrate();
        Set<Thread> before = threads();
        int sessions = sessions(cluster);
        Muster muster = node(cluster, port, healthPort);

        assertThatThrownBy(muster::start)
                .isInstanceOf(MusterException.class)
                .hasMessage("cannot listen at 127.0.0.1:" + taken
                        + ": Address already in use; choose another gateway.port or"
                        + " gateway.health_port, or 0 for any free one");

        await().untilAsserted(() -> {
            Set<Thread> left = threads();
            left.removeAll(before);
            assertThat(left).isEmpty();
        });
        await().untilAsserted(() -> assertThat(sessions(cluster)).isLessThanOrEqualTo(sessions));
        assertThat(cluster.client().nodes()).isEmpty();
    }

    @Test
    void theGatewaysPort(Cluster cluster) throws Exception {
        try (ServerSocket taken = listen()) {
            assertStartFails(cluster, taken.getLocalPort(), 0, taken.getLocalPort());
        }
    }

    @Test
    void theHealthPort(Cluster cluster) throws Exception {
        try (ServerSocket taken = listen()) {
            assertStartFails(cluster, 0, taken.getLocalPort(), taken.getLocalPort());
        }
    }

    @Test
    void aPortThatAnotherGatewayHas(Cluster cluster) throws Exception {
        GatewayNode first = GatewayNode.start(cluster);
        try (Muster second = node(cluster, first.port(), 0)) {
            assertThatThrownBy(second::start).hasMessageContaining("Address already in use");
        }

        assertThat(first.get("/_api/nodes").status()).isEqualTo(200);
    }
}
