package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** An observer answers reads, from the server of {@code database.read_url} if it is set, and says how old they may be. */
@MusterTest
class ObserverIT {

    @Test
    void readsElsewhereAndSaysHowFarThatIsBehind(Cluster cluster) throws Exception {
        cluster.client().migrate();
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("reader", Scope.READ))
                .key();
        cluster.client().jobs().enqueue(JobRequest.of(JobType.of("later", String.class, String.class), "x"));
        try (Muster observer = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(cluster.database().dataSource())
                .set("database.read_url", cluster.database().url())
                .set("node.mode", "observer")
                .set("gateway.port", "0")
                .build()) {
            observer.start();

            HttpResponse<String> jobs = get(observer.ports().get(0), "/_api/jobs", key);
            HttpResponse<String> write = post(observer.ports().get(0), "/_api/jobs", key);

            assertThat(jobs.statusCode()).as(jobs.body()).isEqualTo(200);
            assertThat(jobs.body()).contains("\"later\"");
            assertThat(jobs.headers().firstValue("X-Muster-Replica-Lag-Ms")).contains("0");
            assertThat(write.statusCode()).isEqualTo(403);
        }
    }

    private static HttpResponse<String> get(int port, String path, String key) throws Exception {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)), key);
    }

    private static HttpResponse<String> post(int port, String path, String key) throws Exception {
        return send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"later\"}")),
                key);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, String key) throws Exception {
        return HttpClient.newHttpClient()
                .send(request.header("Authorization", "Bearer " + key).build(), BodyHandlers.ofString());
    }
}
