package dev.muster.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
                    .contains("dashboard: http://127.0.0.1:")
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

    @Test
    void keepsTheDashboardUntilItIsTold() throws Exception {
        try (CliProcess demo =
                CliProcess.start(folder, Map.of(), "demo", "--nodes", "1", "--jobs", "20", "--no-kill", "--keep")) {
            await().atMost(Duration.ofSeconds(90)).until(() -> demo.err().contains("keep running until Ctrl-C"));
            Matcher address = Pattern.compile("dashboard: (http://\\S+)").matcher(demo.err());
            assertThat(address.find()).as(demo.err()).isTrue();
            URI dashboard = URI.create(address.group(1));

            assertThat(get(dashboard).body()).contains("<title>Muster</title>");
            assertThat(get(dashboard.resolve("_api/jobs")).statusCode()).isEqualTo(200);

            demo.process().destroy();
            assertThat(demo.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> get(dashboard)).isInstanceOf(ConnectException.class);
        }
    }

    private static HttpResponse<String> get(URI address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    }
}
