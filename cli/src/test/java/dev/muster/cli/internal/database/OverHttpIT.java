package dev.muster.cli.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.cli.Cli;
import dev.muster.cli.ClosedPort;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands print the same over HTTP as with the database. */
@MusterTest(settings = "worker.lease=60s")
class OverHttpIT {

    static final class App {
        @Job(value = "greet", maxAttempts = 1)
        String greet(String name) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("nobody to greet");
            }
            return "hello " + name;
        }

        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf, String article) {
            return wf.step("ship", String.class, step -> article + " shipped");
        }
    }

    private String server = "";
    private String key = "any";

    private void start(Cluster cluster, Scope scope) {
        Node node = cluster.node(Map.of("gateway.port", "0"), new App());
        server = "http://127.0.0.1:" + node.ports().get(0);
        key = cluster.client().apiKeys().create(KeyRequest.of("cli", scope)).key();
    }

    private Cli.Result http(String... args) {
        String[] all = Arrays.copyOf(args, args.length + 4);
        all[args.length] = "--server";
        all[args.length + 1] = server;
        all[args.length + 2] = "--api-key";
        all[args.length + 3] = key;
        return Cli.run(all);
    }

    private String id(String... args) {
        return http(args).done().json().get("id").asString();
    }

    @Test
    void readsAndChangesTheSameCluster(Cluster cluster, @TempDir Path directory) throws IOException {
        start(cluster, Scope.ADMIN);
        String job = id("jobs", "enqueue", "greet", "--args", "\"Ada\"", "--key", "k1", "--wait", "-o", "json");
        String failed = http("jobs", "enqueue", "greet", "--args", "\"\"", "-o", "json")
                .done()
                .json()
                .get("id")
                .asString();
        cluster.awaitEnded(JobId.of(failed));
        String run = id("workflows", "start", "order", "--args", "\"book\"", "--wait", "-o", "json");
        Path graph = Files.writeString(
                directory.resolve("graph.json"), "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"Eve\"}]}");
        String submitted = id("graphs", "submit", graph.toString(), "--wait", "-o", "json");
        String batch = http("batches", "create", "nightly").done().out().strip();
        http("batches", "seal", batch).done();
        http("queues", "limit", "mail", "--rate", "5/s").done();
        http("queues", "pause", "mail").done();
        http("crons", "create", "yearly", "--expression", "0 0 1 1 *", "--job", "greet", "--args", "\"x\"")
                .done();
        http("crons", "pause", "yearly").done();

        for (List<String> command : List.of(
                List.of("jobs", "list"),
                List.of("jobs", "list", "--status", "failed", "--name", "greet"),
                List.of("jobs", "show", job),
                List.of("jobs", "show", failed),
                List.of("jobs", "logs", job),
                List.of("workflows", "list"),
                List.of("workflows", "show", run),
                List.of("graphs", "list"),
                List.of("graphs", "show", submitted),
                List.of("batches", "list"),
                List.of("queues", "list"),
                List.of("crons", "list"),
                List.of("crons", "next", "yearly"),
                List.of("daemons", "list"),
                List.of("metrics"))) {
            String[] args = new String[command.size() + 2];
            command.toArray(args);
            args[command.size()] = "-o";
            args[command.size() + 1] = "json";
            // Again, if a minute of the metrics was added up between the two.
            await().untilAsserted(() -> assertThat(withoutAge(http(args).done().out()))
                    .as("%s", command)
                    .isEqualTo(
                            withoutAge(Cli.on(cluster.database(), args).done().out())));
        }
        assertThat(http("cluster", "nodes").done().out()).contains("active");
        assertThat(http("cluster", "status").done().out()).contains("1 active");
        assertThat(http("cluster", "leaders", "-o", "json").done().json()).hasSize(3);
        assertThat(http("keys", "list", "-o", "json").done().json().size()).isPositive();
        assertThat(http("audit", "list", "-o", "json").done().json().size()).isPositive();
        assertThat(http("jobs", "retry", failed).done().out()).contains("back in the queue");
        cluster.awaitEnded(JobId.of(failed));
        assertThat(http("jobs", "retry", "--all", "--name", "greet", "--yes")
                        .done()
                        .out())
                .contains("back in the queue: 1");
    }

    /** How old the last minute of the metrics is changes from call to call. */
    private static String withoutAge(String out) {
        return out.replaceAll("\"age_ms\" : \\d+", "").replaceAll("\"(from|to)\" : \"[^\"]*\"", "");
    }

    @Test
    void saysWhatDoesNotWorkOverHttp(Cluster cluster) {
        start(cluster, Scope.READ);

        for (List<String> command : List.of(
                List.of("migrate", "up"),
                List.of("migrate", "status"),
                List.of("encryption", "keys"),
                List.of("config", "show"),
                List.of("node", "--example"))) {
            http(command.toArray(String[]::new)).failed(ExitCode.USAGE, "--server");
        }
        http("queues", "pause", "mail").failed(ExitCode.FAILED, "scope admin");
        http("queues", "list", "--url", "jdbc:postgresql://127.0.0.1/x")
                .failed(ExitCode.USAGE, "--server and --url exclude each other");
        http("jobs", "show", JobId.next().toString()).failed(ExitCode.FAILED, "there is no job");
        Cli.run("queues", "list", "--server", server).failed(ExitCode.FAILED, "--api-key or MUSTER_KEY");
        server = "ftp://somewhere";
        http("queues", "list").failed(ExitCode.USAGE, "ftp://somewhere");
        server = "127.0.0.1:8080";
        http("queues", "list").failed(ExitCode.USAGE, "'127.0.0.1:8080' is no address of a gateway");
    }

    @Test
    void saysWhenNoGatewayAnswers() {
        try (ClosedPort closed = new ClosedPort()) {
            server = "http://127.0.0.1:" + closed.number();
            http("queues", "list").failed(ExitCode.NO_DATABASE, "no gateway answered at " + server);
        }
    }
}
