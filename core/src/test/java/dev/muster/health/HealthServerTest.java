package dev.muster.health;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStatus;
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
        List<Socket> halfSent = new ArrayList<>();
        try (HealthServer server =
                HealthServer.at("127.0.0.1", 0, new Probes(() -> ready(asked, databaseAnswers), "1", null))) {
            CompletableFuture<HttpResponse<String>> readiness = get(server, "/_api/ready");
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
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
            assertThat(readiness).isNotDone();

            databaseAnswers.countDown();

            assertThat(readiness)
                    .succeedsWithin(LIMIT)
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200));
        } finally {
            databaseAnswers.countDown();
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
