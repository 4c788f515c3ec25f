package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.gateway.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What callers with a valid key can try. */
@MusterTest
class HostileIT {
    /** More than the threads that are not for requests. */
    private static final int CLIENTS = 50;

    private static final int JOBS = 2_000;

    static final class Shop {
        @Job("greet")
        void greet(String name) {}

        /** More than the buffers between the server and a client hold. */
        @Query
        String large() {
            return "x".repeat(16 << 20);
        }
    }

    private static String enqueue(String key) {
        return "{\"name\":\"greet\",\"args\":\"Ada\",\"queue\":\"elsewhere\",\"key\":\"" + key + "\"}";
    }

    @Test
    void tenantsCannotTakeTheKeysOfEachOther(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String one =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        String other = gateway.create(KeyRequest.of("other", Scope.WRITE).tenant("a/b"))
                .key();
        assertThat(gateway.send("POST", "/_api/jobs", one, enqueue("b/c")).status())
                .isEqualTo(201);

        Response own = gateway.send("POST", "/_api/jobs", other, enqueue("c"));

        assertThat(own.status()).as(own.body()).isEqualTo(201);
        assertThat(own.text("key")).isEqualTo("c");
        Response again = gateway.send("POST", "/_api/jobs", other, enqueue("c"));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("id")).isEqualTo(own.text("id"));
    }

    @Test
    void aKeyThatTheClusterHoldsIsAConflictThatTellsNothingOfItsJob(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        JobId taken = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("greet", "Ada").queue("elsewhere").key("a/k"));

        Response refused = gateway.send("POST", "/_api/jobs", tenant, enqueue("k"));

        assertThat(refused.status()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).doesNotContain(taken.toString());
    }

    @Test
    void theAuditHasCancellationsOverJsonRpcToo(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        Response submitted = gateway.post(
                "/",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"x\"}]}}");
        String id = submitted.text("result", "root_task_id");
        String cancel =
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks.cancel\",\"params\":{\"task_id\":\"" + id + "\"}}";

        Response cancelled = gateway.post("/", "[" + cancel + "," + cancel + "]");

        assertThat(cancelled.text(0, "result", "status")).as(cancelled.body()).isEqualTo("cancelled");
        List<AuditEntry> entries =
                cluster.client().audit().list(AuditQuery.newest().action("graphs.cancel"));
        assertThat(entries).extracting(AuditEntry::target).containsExactly(id, id);
        assertThat(entries.get(1).outcome()).contains("done");
        assertThat(entries.get(0).outcome()).get().asString().startsWith("refused: ");
    }

    @Test
    void clientsThatDoNotReadTheirAnswersDoNotBlockProbes(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("gateway.max_requests", "2", "gateway.read_timeout", "1m"), new Shop());
        byte[] request = ("POST /_api/rpc/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                        + gateway.key(Scope.READ) + "\r\nContent-Length: 0\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
        List<Socket> clients = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                Socket client = new Socket();
                clients.add(client);
                client.setReceiveBufferSize(4096);
                client.setSoTimeout(20_000);
                client.connect(new InetSocketAddress("127.0.0.1", gateway.port()));
                client.getOutputStream().write(request);
                answers.add(firstLine(client));
            }
            HttpRequest probe = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/_api/ready"))
                    .timeout(Duration.ofSeconds(5))
                    .build();

            assertThat(HttpClient.newHttpClient()
                            .send(probe, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(answers.subList(0, 2)).allMatch(line -> line.contains(" 200"));
            assertThat(answers.subList(2, CLIENTS)).allMatch(line -> line.contains(" 503"));
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void pagesHaveEachJobOnceWhileJobsEnd(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        List<String> all = cluster
                .client()
                .jobs()
                .submitAll(IntStream.range(0, JOBS)
                        .mapToObj(i -> JobRequest.of("greet", "Ada"))
                        .toList())
                .stream()
                .map(enqueued -> enqueued.id().toString())
                .toList();
        List<String> listed = new ArrayList<>();
        boolean someEnded = false;
        @Nullable String before = "";
        do {
            Response page = gateway.get("/_api/jobs?limit=20" + before);
            assertThat(page.status()).as(page.body()).isEqualTo(200);
            for (Object job : (List<?>) page.at("jobs")) {
                listed.add(String.valueOf(((Map<?, ?>) job).get("id")));
                someEnded |= "completed".equals(((Map<?, ?>) job).get("status"));
            }
            if (before.isEmpty()) {
                cluster.client().queues().resume("default");
            }
            before = page.at("next") == null ? null : "&before=" + page.text("next");
        } while (before != null);

        assertThat(someEnded).isTrue();
        assertThat(listed).containsExactlyInAnyOrderElementsOf(all);
    }

    private static String firstLine(Socket client) throws Exception {
        // A buffer of a few characters: the rest of the answer stays unread.
        return String.valueOf(
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8), 64)
                        .readLine());
    }
}
