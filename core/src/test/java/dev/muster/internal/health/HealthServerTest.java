package dev.muster.internal.health;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.NodeStatus;
import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import dev.muster.testing.Sockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who asks whether the process lives gets an answer, whatever else is asked. */
class HealthServerTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    /** Only a failing test waits this long. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static CompletableFuture<HttpResponse<String>> get(HealthServer server, String path) {
        URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
        return HTTP.sendAsync(HttpRequest.newBuilder(uri).timeout(LIMIT).build(), BodyHandlers.ofString());
    }

    /** The question whether the database answers is not answered at all while the latch is closed. */
    @Test
    void livenessWaitsNeitherForReadinessNorForHalfSentRequests() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch databaseAnswers = new CountDownLatch(1);
        try (HealthServer server =
                HealthServer.at("127.0.0.1", 0, new Probes(() -> ready(asked, databaseAnswers), "1", null))) {
            CompletableFuture<HttpResponse<String>> readiness = get(server, "/_api/ready");
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
            // On a busy machine answers may take as long as half-sent requests are kept; then it is tried again.
            await("answers while half-sent requests are open")
                    .atMost(LIMIT.multipliedBy(3))
                    .until(() -> answersComeWhileHalfSentRequestsAreOpen(server));
            assertThat(readiness).isNotDone();

            databaseAnswers.countDown();

            assertThat(readiness)
                    .succeedsWithin(LIMIT)
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200));
        } finally {
            databaseAnswers.countDown();
        }
    }

    private static boolean answersComeWhileHalfSentRequestsAreOpen(HealthServer server) throws IOException {
        List<Socket> halfSent = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                halfSent.add(socket);
                socket.getOutputStream().write("GET /_api/health HT".getBytes(US_ASCII));
            }
            for (int i = 0; i < 3; i++) {
                assertThat(get(server, "/_api/health"))
                        .succeedsWithin(LIMIT)
                        .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200));
                assertThat(get(server, "/_api/nothing"))
                        .succeedsWithin(LIMIT)
                        .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(404));
            }
            boolean open = true;
            for (Socket socket : halfSent) {
                open &= Sockets.isOpen(socket);
            }
            return open;
        } finally {
            for (Socket socket : halfSent) {
                socket.close();
            }
        }
    }

    private static Readiness ready(CountDownLatch asked, CountDownLatch databaseAnswers) {
        asked.countDown();
        try {
            databaseAnswers.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Readiness(true, true, NodeStatus.ACTIVE, Map.of(), Optional.empty());
    }
}
