package dev.muster.health;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.engine.UninterruptibleHandler;
import dev.muster.job.Job;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Measured;
import dev.muster.testing.Sockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Health and readiness over HTTP. */
class HealthIT extends EngineIT {
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
        Muster node = start(builder(Map.of("gateway.port", "0"), slow).version("2 \"beta\""));
        int port = node.ports().get(0);

        assertThat(get(port, "/_api/health")).satisfies(answer -> {
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body())
                    .contains("\"status\":\"ok\"", "\"version\":", "\"application_version\":\"2 \\\"beta\\\"\"");
        });
        await().until(() -> get(port, "/_api/ready").statusCode() == 200);
        assertThat(get(port, "/_api/ready").body())
                .isEqualTo(
                        "{\"ready\":true,\"database\":true,\"reactor\":true,\"node_status\":\"active\",\"workflows\":true}");
        assertThat(send(port, "/_api/health", "POST").statusCode()).isEqualTo(405);
        assertThat(get(port, "/_api/nothing").statusCode()).isEqualTo(404);
        assertThat(get(port, "/_api/healthy").statusCode()).isEqualTo(404);

        node.jobs().enqueue("slow", null);
        slow.entered.await();
        Thread closing = new Thread(node::close);
        closing.start();
        await("503 while it drains").untilAsserted(() -> {
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
        UninterruptibleHandler stubborn = new UninterruptibleHandler();
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
    void halfSentRequestsDelayNobody() throws Exception {
        int port = node(Map.of("gateway.port", "0"), new Slow()).ports().get(0);
        await().until(() -> get(port, "/_api/ready").statusCode() == 200);
        // On a busy machine answers may take as long as half-sent requests are kept; then it is tried again.
        await("answers while half-sent requests are open")
                .atMost(PATIENCE)
                .until(() -> answersComeWhileHalfSentRequestsAreOpen(port));
    }

    private static boolean answersComeWhileHalfSentRequestsAreOpen(int port) throws Exception {
        List<Socket> halfSent = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                halfSent.add(socket);
                socket.getOutputStream()
                        .write("GET /_api/ready HTTP/1.1\r\nHo"
                                .substring(0, 1 + i % 25)
                                .getBytes(US_ASCII));
            }
            for (int i = 0; i < 5; i++) {
                long asked = System.nanoTime();
                assertThat(get(port, i % 2 == 0 ? "/_api/ready" : "/_api/health")
                                .statusCode())
                        .isEqualTo(200);
                Measured.within(
                        Duration.ofSeconds(2), Duration.ofNanos(System.nanoTime() - asked), "an answer of the probes");
            }
            boolean open = true;
            for (Socket socket : halfSent) {
                open &= Sockets.isOpen(socket);
            }
            // Dropped after a while, so that they do not add up.
            halfSent.get(0).setSoTimeout(90_000);
            assertThat(halfSent.get(0).getInputStream().read()).isEqualTo(-1);
            return open;
        } finally {
            for (Socket socket : halfSent) {
                socket.close();
            }
        }
    }

    @Test
    void requestsInPiecesAndOddOnesAreAnswered() throws Exception {
        int port = node(Map.of("gateway.port", "0"), new Slow()).ports().get(0);
        assertThat(inPieces(port, "GET /_api/hea", "lth?x=1 HTTP/1.0\r\n", "Host: x\r\n", "\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("Connection: close\r\n")
                .endsWith("\"}");
        assertThat(inPieces(port, "HEAD /_api/health HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("\r\n\r\n");
        assertThat(inPieces(port, "what?\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(inPieces(port, "GET /" + "x".repeat(9_000))).startsWith("HTTP/1.1 400 ");
    }

    private static String inPieces(int port, String... pieces) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            for (String piece : pieces) {
                socket.getOutputStream().write(piece.getBytes(US_ASCII));
                socket.getOutputStream().flush();
            }
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
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
