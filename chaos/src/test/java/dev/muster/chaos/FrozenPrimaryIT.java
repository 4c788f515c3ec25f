package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cli.MusterCommand;
import dev.muster.config.MusterConfig;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The primary answers nobody any more, though its kernel still accepts connections, and the standby is promoted. */
class FrozenPrimaryIT {
    private static final Duration PROMISED = Duration.ofSeconds(30);
    private static final Duration LOOKED_FOR = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final String DONE = "SELECT count(*)::text FROM muster_job_history";

    private final MusterNodes nodes = new MusterNodes();
    private final List<AutoCloseable> closing = new ArrayList<>();
    private ReplicaPair servers;

    @BeforeEach
    void start() {
        servers = new ReplicaPair();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable program : closing) {
            program.close();
        }
        nodes.close();
        servers.resumePrimary();
        servers.close();
    }

    @LongTest(
            twin = FailoverIT.class,
            test = "aNodeFollowsThePrimaryAndNotTheOneThatComesBack",
            why = "a primary that answers nobody any more without having died, and programs beside the nodes")
    @Test
    void everyNodeAndEveryProgramLeavesItAndNoneReturns() {
        NodeProcess a = nodes.launch("a", servers.bothUrl());
        // The standby comes first here, and handlers write: connections to it would be of no use to them.
        NodeProcess c = nodes.launch("c", servers.standbyFirstUrl());
        MusterNodes.awaitUp(a, c);
        allWork(servers.primaryUrl(), List.of("a", "c"), SOON);
        assertThat(ReplicaPair.text(servers.primaryUrl(), "SELECT max(attempt)::text FROM muster_job_history"))
                .isEqualTo("1");
        servers.awaitCaughtUp();
        EnqueuingProgram program = new EnqueuingProgram(servers.bothUrl());
        closing.add(program);
        program.awaitMore(20, SOON);

        servers.freezePrimary();
        servers.promote();
        long promoted = System.nanoTime();
        program.awaitMore(2, SOON);
        Measured.within(
                LOOKED_FOR, Duration.ofNanos(System.nanoTime() - promoted), "that a program enqueues elsewhere");
        allWork(servers.standbyUrl(), List.of("a", "c"), SOON);
        Measured.within(PROMISED, Duration.ofNanos(System.nanoTime() - promoted), "that all nodes work elsewhere");
        program.close();
        // A node that starts now finds the new primary behind the frozen one, and so does a command.
        assertThat(clusterStatus()).isZero();
        NodeProcess d = nodes.launch("d", servers.bothUrl());
        MusterNodes.awaitUp(d);
        for (NodeProcess node : List.of(a, c, d)) {
            await("readiness").atMost(SOON).until(() -> nodes.readiness(node) == 200);
        }

        servers.resumePrimary();
        await("that nobody is connected to the old primary")
                .atMost(SOON)
                .until(() -> sessions(servers.primaryUrl()) == 0);
        String before = ReplicaPair.text(servers.primaryUrl(), DONE);
        allWork(servers.standbyUrl(), List.of("a", "c", "d"), SOON);
        assertThat(sessions(servers.primaryUrl())).isZero();
        assertThat(ReplicaPair.text(servers.primaryUrl(), DONE)).isEqualTo(before);
    }

    private int clusterStatus() {
        return MusterCommand.create()
                .setOut(new PrintWriter(Writer.nullWriter()))
                .execute("cluster", "status", "--url", servers.bothUrl());
    }

    private static int sessions(String url) {
        return Integer.parseInt(
                ReplicaPair.text(url, "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'muster'"));
    }

    private static void allWork(String url, List<String> ids, Duration limit) {
        try (Muster client =
                Muster.builder().config(MusterConfig.defaults()).database(url).build()) {
            new WorkOfAll(client, url).await(ids, limit);
        }
    }
}
