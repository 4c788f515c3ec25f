package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.testing.Measured;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For a while the database takes no writes: its address leads to a standby, or its sessions are read-only. */
class ReadOnlyDatabaseIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration PHASE = Duration.ofSeconds(Sizes.of(3, 10));
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
        // On a busy machine a login may take longer than the four seconds of the default.
        String url = address.url(servers.primaryUrl()) + "&connectTimeout=60";
        a = nodes.launch("a", url);
        MusterNodes.awaitUp(a);
        b = nodes.launch("b", url);
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
            awaitAtWork(work);

            String database = "ALTER DATABASE pair SET default_transaction_read_only = ";
            ReplicaPair.execute(servers.primaryUrl(), database + "on");
            endSessions();
            long refused = rolledBack();
            notReadyFor(PHASE, work);
            // Per time, so that it depends on the machine.
            if (Sizes.full()) {
                assertThat(rolledBack() - refused).as("refused transactions").isLessThan(100);
            }
            assertThat(a.text()).contains("default_transaction_read_only is on");
            ReplicaPair.execute(
                    servers.primaryUrl() + "&options=-c%20default_transaction_read_only=off", database + "off");
            awaitAtWork(work);
        }
    }

    private void notReadyFor(Duration phase, WorkOfAll work) {
        await("that nobody is ready").atMost(SOON).until(() -> nodes.readiness(a) == 503 && nodes.readiness(b) == 503);
        Periods.observeFor(phase, Duration.ofMillis(300), () -> {
            work.tryEnqueue();
            assertThat(List.of(nodes.readiness(a), nodes.readiness(b))).containsOnly(503);
        });
    }

    private void awaitAtWork(WorkOfAll work) {
        long begin = System.nanoTime();
        work.await(ALL, SOON);
        Measured.within(BACK_AT_WORK, Duration.ofNanos(System.nanoTime() - begin), "that all nodes work again");
        awaitReady();
    }

    private void awaitReady() {
        await("readiness").atMost(SOON).until(() -> nodes.readiness(a) == 200 && nodes.readiness(b) == 200);
    }

    /** So that sessions with the new setting follow, as they would one by one in time. */
    private void endSessions() {
        ReplicaPair.execute(
                servers.primaryUrl(),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'muster' AND datname = current_database()");
    }

    private long rolledBack() {
        return Long.parseLong(ReplicaPair.text(
                servers.primaryUrl(),
                "SELECT xact_rollback::text FROM pg_stat_database WHERE datname = current_database()"));
    }
}
