package dev.muster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Health and readiness over HTTP. */
class HealthIT extends EngineTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** One job that can be waited for. */
    static final class Slow {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch mayLeave = new CountDownLatch(1);

        @Job("slow")
        public void slow() throws InterruptedException {
            entered.countDown();
            mayLeave.await();
        }
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return send(port, path, "GET");
    }

    private static HttpResponse<String> send(int port, String path, String method) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return HTTP.send(
                HttpRequest.newBuilder(uri)
                        .method(method, BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void aNodeSaysHowItIsUntilItIsGone() throws Exception {
        Slow slow = new Slow();
        Muster node = node(Map.of("gateway.port", "0"), slow);
        int port = node.ports().get(0);

        assertThat(get(port, "/_api/health")).satisfies(answer -> {
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("\"status\":\"ok\"", "\"version\":");
        });
        await().atMost(Duration.ofSeconds(10))
                .until(() -> get(port, "/_api/ready").statusCode() == 200);
        assertThat(get(port, "/_api/ready").body())
                .isEqualTo("{\"ready\":true,\"database\":true,\"reactor\":true,\"node_status\":\"active\"}");
        assertThat(send(port, "/_api/health", "POST").statusCode()).isEqualTo(405);
        assertThat(get(port, "/_api/nothing").statusCode()).isEqualTo(404);
        assertThat(get(port, "/_api/healthy").statusCode()).isEqualTo(404);

        node.jobs().enqueue("slow", null);
        slow.entered.await();
        Thread closing = new Thread(node::close);
        closing.start();
        await("503 while it drains").atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertThat(get(port, "/_api/ready").statusCode()).isEqualTo(503);
            assertThat(get(port, "/_api/ready").body()).contains("\"node_status\":\"draining\"");
            assertThat(get(port, "/_api/health").statusCode()).isEqualTo(200);
        });
        slow.mayLeave.countDown();
        closing.join();
        assertThatThrownBy(() -> get(port, "/_api/health")).isInstanceOf(IOException.class);
    }

    @Test
    void aNodeWithHalfOfItsThreadsStuckIsNotReady() throws Exception {
        Stubborn stubborn = new Stubborn();
        Muster node = node(Map.of("gateway.port", "0", "worker.concurrency", "2"), stubborn);
        int port = node.ports().get(0);
        ended(node, node.jobs().enqueue("stubborn", null));
        await().untilAsserted(() -> {
            assertThat(get(port, "/_api/ready").statusCode()).isEqualTo(503);
            assertThat(get(port, "/_api/ready").body())
                    .contains("\"ready\":false", "\"stuck\":\"1 of 2 threads are stuck");
        });
        stubborn.release.countDown();
        await().untilAsserted(
                        () -> assertThat(get(port, "/_api/ready").statusCode()).isEqualTo(200));
    }

    @Test
    void aPortThatIsTakenIsAnErrorBeforeAnythingStarts() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            assertThatThrownBy(() -> node(Map.of("gateway.health_port", port), new Slow()))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageContaining("gateway.health_port");
        }
        assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
    }

    @Test
    void insideAnotherProgramANodeListensOnlyWhereItIsTold() {
        assertThat(node(new Slow()).ports()).isEmpty();
        assertThat(node(Map.of("node.mode", "worker", "gateway.port", "0"), new Slow())
                        .ports())
                .as("a worker opens no public port")
                .isEmpty();
        assertThat(node(Map.of("node.mode", "worker", "gateway.health_port", "0"), new Slow())
                        .ports())
                .hasSize(1);
    }
}
