package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** After callers who want to do harm, with keys and without, everybody else is served. */
@MusterTest
class AttacksIT {
    private static final int LARGE = 900_000;

    static final class Shop {
        @Job(value = "greet", tenants = true)
        void greet() {}

        @Workflow(name = "order", version = "1")
        void order(WorkflowContext ctx, String input) {
            ctx.sleep(Duration.ofDays(1));
        }
    }

    /** Who attacks, and with what. */
    private static final class Attackers {
        private final GatewayNode gateway;
        private final String writer;
        private final String tenant;
        private final String reader;
        private final String graph;
        private final String parent;

        Attackers(Cluster cluster, GatewayNode gateway) {
            this.gateway = gateway;
            this.writer = gateway.key(Scope.WRITE);
            this.reader = gateway.key(Scope.READ);
            this.tenant =
                    gateway.create(KeyRequest.of("t", Scope.WRITE).tenant("t")).key();
            cluster.client().queues().pause("default");
            IntStream.range(0, 30)
                    .forEach(i -> cluster.client().workflows().start(RunRequest.of("order", "x".repeat(LARGE))));
            String tasks = IntStream.range(1, 2_000)
                    .mapToObj(i -> "{\"id\":\"t" + i + "\",\"name\":\"greet\",\"depends_on\":[\"t0\"]}")
                    .collect(Collectors.joining(","));
            Response submitted =
                    post(writer, "/_api/graphs", "{\"tasks\":[{\"id\":\"t0\",\"name\":\"greet\"}," + tasks + "]}");
            assertThat(submitted.status()).as(submitted.body()).isEqualTo(201);
            this.graph = submitted.text("id");
            this.parent = post(tenant, "/_api/jobs", "{\"name\":\"greet\"}").text("id");
        }

        private Response post(String key, String path, String body) {
            return gateway.send("POST", path, key, body);
        }

        private void refused(Response answer) {
            assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        }

        /** Each of them does its harm once. */
        Map<String, Runnable> all() {
            Map<String, Runnable> all = new LinkedHashMap<>();
            String longName = "{\"" + "a".repeat(LARGE) + "\":1}";
            all.put("a long member", () -> refused(post(tenant, "/_api/jobs", longName)));
            String longParent = "{\"tasks\":[{\"id\":\"first\",\"name\":\"greet\",\"depends_on\":[\""
                    + "b".repeat(LARGE / 2) + "\"]},"
                    + IntStream.range(0, 5_000)
                            .mapToObj(i -> "{\"id\":\"a-task-of-the-import-" + i + "\",\"name\":\"greet\"}")
                            .collect(Collectors.joining(","))
                    + "]}";
            all.put("a long dependency", () -> refused(post(writer, "/_api/graphs", longParent)));
            String deepPath = "{\"tasks\":[{\"id\":\"a\",\"name\":\"nobody\",\"inputs\":{\"" + "c".repeat(LARGE / 3)
                    + "\":[" + "{\"from\":1},".repeat(30_000) + "{\"from\":\"d\"}]}}]}";
            all.put("long paths", () -> refused(post(writer, "/_api/graphs", deepPath)));
            String metadata = "{\"name\":\"greet\",\"metadata\":{"
                    + IntStream.range(0, 50_000)
                            .mapToObj(i -> "\"m" + i + "\":\"v\"")
                            .collect(Collectors.joining(","))
                    + "}}";
            all.put("much metadata", () -> refused(post(tenant, "/_api/jobs", metadata)));
            String many = "{\"jobs\":["
                    + String.join(
                            ",",
                            Collections.nCopies(10_001, "{\"name\":\"greet\",\"depends_on\":[\"" + parent + "\"]}"))
                    + "]}";
            all.put("many jobs", () -> refused(post(tenant, "/_api/jobs/many", many)));
            all.put(
                    "large pages",
                    () -> assertThat(gateway.send("GET", "/_api/workflows?limit=1000", reader, null)
                                    .status())
                            .isEqualTo(200));
            String trees = "["
                    + String.join(
                            ",",
                            Collections.nCopies(
                                    100,
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.tree\",\"params\":{\"task_id\":\""
                                            + graph + "\"}}"))
                    + "]";
            all.put(
                    "many trees",
                    () -> assertThat(post(reader, "/", trees).body())
                            .contains("was not executed")
                            .hasSizeLessThan(64 << 20));
            all.put("files", () -> readSlowly(50));
            all.put("heads", () -> beginRequests(200));
            return all;
        }

        /** Asks for many files, reads hardly anything, and goes to come back. */
        private void readSlowly(int readers) {
            byte[] requests = "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n\r\n"
                    .repeat(400)
                    .getBytes(StandardCharsets.UTF_8);
            List<Socket> sockets = new ArrayList<>();
            try {
                for (int i = 0; i < readers; i++) {
                    Socket socket = RawHttp.deaf(gateway.port());
                    sockets.add(socket);
                    socket.getOutputStream().write(requests);
                }
                for (Socket socket : sockets) {
                    assertThat(socket.getInputStream().read(new byte[512])).isLessThanOrEqualTo(512);
                }
            } catch (IOException e) {
                // The server has ended it, or the system has no more of them.
            } finally {
                close(sockets);
            }
        }

        private void beginRequests(int connections) {
            List<Socket> sockets = new ArrayList<>();
            try {
                for (int i = 0; i < connections; i++) {
                    Socket socket = RawHttp.connect(gateway.port(), "127.0.0.9");
                    sockets.add(socket);
                    socket.getOutputStream()
                            .write("GET /_api/me HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // The server has ended it.
            } finally {
                close(sockets);
            }
        }

        private static void close(List<Socket> sockets) {
            for (Socket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static GatewayNode start(Cluster cluster) {
        return GatewayNode.start(cluster, Map.of("gateway.max_connections_per_address", "150"), new Shop());
    }

    @Test
    void afterEachAttackTheGatewayAnswers(Cluster cluster) {
        GatewayNode gateway = start(cluster);
        new Attackers(cluster, gateway).all().forEach((name, attack) -> {
            attack.run();

            assertThat(gateway.get("/_api/jobs?limit=1").status()).as(name).isEqualTo(200);
            assertThat(gateway.get("/_api/ready").status()).as(name).isEqualTo(200);
        });
    }
}
