package dev.muster.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class DemoIT {
    @TempDir
    private Path folder;

    @Test
    void losesANodeAndNoJob() throws Exception {
        // The settings of the user's own cluster have no part in it.
        Map<String, String> environment = Map.of("MUSTER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/x");
        // Fewer jobs would now and then be done by the other node alone before the leader is killed.
        try (CliProcess demo =
                CliProcess.start(folder, environment, "demo", "--nodes", "2", "--jobs", "1000", "-o", "json")) {
            Cli.Result result = demo.await();
            assertThat(result.exit()).as(result.err()).isZero();
            JsonNode summary = result.json();
            assertThat(summary.propertyNames())
                    .containsExactly(
                            "jobs",
                            "completed",
                            "lost",
                            "duplicates",
                            "recovered",
                            "throughput",
                            "recovery_ms",
                            "leader_failover_ms",
                            "orders",
                            "shipped",
                            "undone",
                            "wrong_orders",
                            "orders_taken_over");
            assertThat(summary.get("jobs").asInt()).isEqualTo(1_000);
            assertThat(summary.get("completed").asInt()).isEqualTo(1_000);
            assertThat(summary.get("lost").asInt()).isZero();
            assertThat(summary.get("duplicates").asInt()).isZero();
            assertThat(summary.get("recovered").asInt()
                            + summary.get("orders_taken_over").asInt())
                    .isPositive();
            assertThat(summary.get("throughput").asDouble()).isPositive();
            // The node may have been killed with orders alone in its hands.
            if (summary.get("recovered").asInt() > 0) {
                assertThat(summary.get("recovery_ms").asLong()).isBetween(1_000L, 60_000L);
            }
            assertThat(summary.get("leader_failover_ms").asLong()).isBetween(0L, 30_000L);
            assertThat(summary.get("orders").asInt()).isEqualTo(50);
            assertThat(summary.get("shipped").asInt()).isEqualTo(40);
            assertThat(summary.get("undone").asInt()).isEqualTo(10);
            assertThat(summary.get("wrong_orders").asInt()).isZero();
            assertThat(result.err())
                    .contains("kill -9 node-")
                    .contains("the leader")
                    .contains("leads now");
        }
    }

    @Test
    void leavesNothingBehindWhenItIsKilled() throws Exception {
        try (CliProcess demo =
                CliProcess.start(folder, Map.of(), "demo", "--nodes", "2", "--jobs", "50000", "--no-kill")) {
            await().atMost(Duration.ofSeconds(90)).until(() -> demo.err().contains("processes are up"));
            List<ProcessHandle> children = demo.process().descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(3);
            demo.process().destroyForcibly().waitFor();
            await().atMost(Duration.ofSeconds(30)).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }
}
