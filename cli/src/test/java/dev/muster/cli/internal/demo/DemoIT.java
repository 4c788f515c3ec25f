package dev.muster.cli.internal.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import dev.muster.cli.ClosedPort;
import dev.muster.testing.LongTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Order(1)
class DemoIT {
    @TempDir
    private Path folder;

    @Test
    void losesANodeAndNoJob() throws Exception {
        // The settings of the user's own cluster have no part in it.
        try (ClosedPort closed = new ClosedPort();
                CliProcess demo = CliProcess.start(
                        folder,
                        Map.of("MUSTER_DATABASE_URL", closed.databaseUrl(), "MUSTER_TEST_PATIENCE", "4"),
                        "demo",
                        "--nodes",
                        "2",
                        "--jobs",
                        "1000",
                        "--port",
                        "0",
                        "-o",
                        "json")) {
            showsItsDashboard(demo);
            List<ProcessHandle> children = children(demo);
            Cli.Result result = demo.await();
            assertThat(result.exit()).as(result.err()).isZero();
            await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
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
            Matcher kill = Pattern.compile("kill -9 node-.* \\(the leader, .*\\) with (\\d+) jobs and (\\d+) orders")
                    .matcher(result.err());
            assertThat(kill.find()).as(result.err()).isTrue();
            int jobs = Integer.parseInt(kill.group(1));
            int orders = Integer.parseInt(kill.group(2));
            assertThat(jobs + orders).as(result.err()).isPositive();
            assertThat(summary.get("recovered").asInt()).isEqualTo(jobs);
            assertThat(summary.get("orders_taken_over").asInt()).isEqualTo(orders);
            assertThat(summary.get("throughput").asDouble()).isPositive();
            if (summary.get("recovered").asInt() > 0) {
                assertThat(summary.get("recovery_ms").asLong()).isPositive();
            }
            assertThat(summary.get("leader_failover_ms").isIntegralNumber()).isTrue();
            assertThat(summary.get("orders").asInt()).isEqualTo(50);
            assertThat(summary.get("shipped").asInt()).isEqualTo(40);
            assertThat(summary.get("undone").asInt()).isEqualTo(10);
            assertThat(summary.get("wrong_orders").asInt()).isZero();
            assertThat(result.err()).contains("dashboard: http://127.0.0.1:").contains("leads now");
        }
    }

    private static void showsItsDashboard(CliProcess demo) throws Exception {
        Pattern line = Pattern.compile("dashboard: (http://\\S+)");
        await().atMost(Duration.ofMinutes(2))
                .until(() -> line.matcher(demo.err()).find());
        Matcher address = line.matcher(demo.err());
        assertThat(address.find()).isTrue();
        URI dashboard = URI.create(address.group(1));
        assertThat(get(dashboard).body()).contains("<title>Muster</title>");
        assertThat(get(dashboard.resolve("_api/jobs")).statusCode()).isEqualTo(200);
    }

    @LongTest(
            twin = DemoIT.class,
            test = "losesANodeAndNoJob",
            why = "a second demo, which is told to keep its dashboard, and then to end")
    @Test
    void keepsTheDashboardUntilItIsToldAndLeavesNothingBehind() throws Exception {
        try (CliProcess demo = keptDemo()) {
            showsItsDashboard(demo);
            List<ProcessHandle> children = children(demo);
            demo.process().destroy();
            demo.await();
            await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @LongTest(
            twin = DemoIT.class,
            test = "losesANodeAndNoJob",
            why = "the demo is killed; KilledJvmIT, KeeperTest and NodeIT show what each part does then")
    @Test
    void leavesNothingBehindWhenItIsKilled() throws Exception {
        try (CliProcess demo = keptDemo()) {
            List<ProcessHandle> children = children(demo);
            demo.process().destroyForcibly().waitFor();
            await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    private CliProcess keptDemo() throws IOException {
        CliProcess demo = CliProcess.start(
                folder,
                Map.of("MUSTER_TEST_PATIENCE", "4"),
                "demo",
                "--nodes",
                "1",
                "--jobs",
                "20",
                "--no-kill",
                "--keep",
                "--port",
                "0");
        await().atMost(Duration.ofMinutes(4)).until(() -> demo.err().contains("keep running until Ctrl-C"));
        return demo;
    }

    /** A node, and the server. */
    private static List<ProcessHandle> children(CliProcess demo) {
        List<ProcessHandle> children = demo.process().descendants().toList();
        assertThat(children).hasSizeGreaterThanOrEqualTo(2);
        return children;
    }

    private static HttpResponse<String> get(URI address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    }
}
