package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.net.Socket;
import java.net.SocketTimeoutException;
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

/** While callers want to do harm, with keys and without, and afterwards, everybody else is served. */
@MusterTest
class AttacksIT {
    private static final int LARGE = 900_000;

    /** More than a gateway has with eight requests at the same time. */
    private static final int MORE_THAN_THREADS = 100;

    private static final String FILE = "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n";

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
            return all;
        }
    }

    @Test
    void afterEachAttackTheGatewayAnswers(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        new Attackers(cluster, gateway).all().forEach((name, attack) -> {
            attack.run();

            assertThat(gateway.get("/_api/jobs?limit=1").status()).as(name).isEqualTo(200);
            assertThat(gateway.get("/_api/ready").status()).as(name).isEqualTo(200);
        });
    }

    @Test
    void whileFilesAreReadSlowlyOthersAreServed(Cluster cluster) throws Exception {
        GatewayNode gateway =
                GatewayNode.start(cluster, Map.of("gateway.max_requests", "8", "gateway.read_timeout", "5m"));
        byte[] requests = (FILE + "\r\n").repeat(400).getBytes(StandardCharsets.UTF_8);
        List<Socket> readers = new ArrayList<>();
        try {
            for (int i = 0; i < MORE_THAN_THREADS; i++) {
                readers.add(RawHttp.deaf(gateway.port()));
                sendTo(readers.get(i), requests);
            }
            await("the readers have all files that their address gets")
                    .until(() -> last(gateway, "127.0.0.1", FILE) == 503);

            assertThat(last(gateway, "127.0.0.2", FILE)).isEqualTo(200);
            assertThat(gateway.get("/_api/jobs?limit=1").status()).isEqualTo(200);
            assertThat(gateway.get("/_api/ready").status()).isEqualTo(200);
        } finally {
            close(readers);
        }
    }

    @Test
    void whileHeadsComeSlowlyOthersAreServedAndTheHeadsAreCutOff(Cluster cluster) throws Exception {
        GatewayNode gateway =
                GatewayNode.start(cluster, Map.of("gateway.max_connections", "30", "gateway.read_timeout", "2s"));
        String me = "GET /_api/me HTTP/1.1\r\nHost: x\r\nX-API-Key: " + gateway.key(Scope.READ) + "\r\n";
        byte[] head = "GET /_api/me HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.UTF_8);
        List<Socket> heads = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                heads.add(RawHttp.connect(gateway.port(), "127.0.0.9"));
                heads.get(i).setSoTimeout(1);
                sendTo(heads.get(i), head);
            }
            await("no head has more time than others, whatever bytes trickle").until(() -> {
                assertThat(last(gateway, "127.0.0.1", me)).isEqualTo(200);
                heads.removeIf(one -> !sendTo(one, new byte[] {'a'}) || hasEnded(one));
                return heads.isEmpty();
            });
        } finally {
            close(heads);
        }
    }

    private static int last(GatewayNode gateway, String from, String head) {
        byte[] request = (head + "Connection: close\r\n\r\n").getBytes(StandardCharsets.UTF_8);
        return RawHttp.send(gateway.port(), from, request).status();
    }

    /** Whether the server has not ended the connection. */
    private static boolean sendTo(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean hasEnded(Socket socket) {
        try {
            return socket.getInputStream().read(new byte[4_096]) < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
