package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For a while the database takes no writes: its address leads to a standby, or its sessions are read-only. */
class ReadOnlyDatabaseIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration PHASE = Duration.ofSeconds(10);
    private static final Duration BACK_AT_WORK = Duration.ofSeconds(10);
    private static final List<String> ALL = List.of("a", "b");

    private final MusterNodes nodes = new MusterNodes();
    private ReplicaPair servers;
    private TcpProxy address;
    private NodeProcess a;
    private NodeProcess b;

    @BeforeEach
    void start() {
        servers = new ReplicaPair();
        address = new TcpProxy(servers.primaryPort());
        a = nodes.launch("a", address.url(servers.primaryUrl()));
        MusterNodes.awaitUp(a);
        b = nodes.launch("b", address.url(servers.primaryUrl()));
        MusterNodes.awaitUp(b);
    }

    @AfterEach
    void stop() {
        nodes.close();
        address.close();
        servers.close();
    }

    @Test
    void nodesAreNotReadyMeanwhileAndWorkAgainAfterwards() {
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults())
                .database(servers.primaryUrl())
                .build()) {
            WorkOfAll work = new WorkOfAll(client, servers.primaryUrl());
            work.await(ALL, SOON);
            servers.awaitCaughtUp();

            address.redirect(servers.standbyPort());
            address.cut();
            notReadyFor(PHASE, work);
            assertThat(a.text()).contains("the database is a standby and takes no writes");
            // What stands keeps leading to the standby.
            address.redirect(servers.primaryPort());
            work.await(ALL, BACK_AT_WORK);
            awaitReady();

            String database = "ALTER DATABASE pair SET default_transaction_read_only = ";
            ReplicaPair.execute(servers.primaryUrl(), database + "on");
            endSessions();
            long refused = rolledBack();
            notReadyFor(PHASE, work);
            assertThat(rolledBack() - refused).as("refused transactions").isLessThan(100);
            assertThat(a.text()).contains("default_transaction_read_only is on");
            ReplicaPair.execute(
                    servers.primaryUrl() + "&options=-c%20default_transaction_read_only=off", database + "off");
            work.await(ALL, BACK_AT_WORK);
            awaitReady();
        }
    }

    private void notReadyFor(Duration phase, WorkOfAll work) {
        await("that nobody is ready").atMost(SOON).until(() -> nodes.readiness(a) == 503 && nodes.readiness(b) == 503);
        await("that nobody becomes ready")
                .during(phase)
                .atMost(phase.plusSeconds(5))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> {
                    work.tryEnqueue();
                    return nodes.readiness(a) == 503 && nodes.readiness(b) == 503;
                });
    }

    private void awaitReady() {
        await("readiness").atMost(SOON).until(() -> nodes.readiness(a) == 200 && nodes.readiness(b) == 200);
    }

    /** So that sessions with the new setting follow, as they would one by one in time. */
    private void endSessions() {
        ReplicaPair.execute(
                servers.primaryUrl(),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'muster'");
    }

    private long rolledBack() {
        return Long.parseLong(ReplicaPair.text(
                servers.primaryUrl(),
                "SELECT xact_rollback::text FROM pg_stat_database WHERE datname = current_database()"));
    }
}
