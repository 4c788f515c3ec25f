package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.GatewayNode.Response;
import dev.muster.gateway.route.Refusal;
import dev.muster.job.Job;
import dev.muster.testing.Allocated;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are too much are refused before the work that they would make is done, with the name of the limit. */
@MusterTest
class BoundedRequestsIT {
    private static final int MOST_STATEMENTS = 50;

    static final class Handlers {
        @Job(value = "greet", tenants = true)
        void greet() {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"workflows", "graphs", "jobs"})
    void noPageIsLargerThanTheReferenceSays(String list, Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);

        assertThat(gateway.get("/_api/" + list + "?limit=1000").status()).isEqualTo(200);
        Response refused = gateway.get("/_api/" + list + "?limit=1001");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text("error", "message")).contains("limit", "1000");
    }

    @Test
    void nothingIsLookedUpForJobsOfWhichThereAreTooMany(Cluster cluster) {
        cluster.client().migrate();
        CountingDataSource source = new CountingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("gateway.port", "0")
                .set("gateway.max_body", "8m")
                .register(new Handlers())
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String tenant =
                    gateway.create(KeyRequest.of("a", Scope.WRITE).tenant("a")).key();
            Response parent = gateway.send("POST", "/_api/jobs", tenant, "{\"name\":\"greet\"}");
            String child = "{\"name\":\"greet\",\"depends_on\":[\"" + parent.text("id") + "\"]}";
            source.forget();

            refuses(gateway, tenant, child, 10_001, "jobs: must have 1 to 10000 jobs, not 10001");
            String distinct = IntStream.range(0, 6)
                    .mapToObj(i -> "\"0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b1" + i + "\"")
                    .reduce((one, other) -> one + "," + other)
                    .orElseThrow();
            refuses(
                    gateway,
                    tenant,
                    "{\"name\":\"greet\",\"depends_on\":[" + distinct + "]}",
                    9_000,
                    "jobs: depend on 54000 jobs");

            assertThat(source.ofThreads("muster-gateway")).isLessThan(MOST_STATEMENTS);
        }
    }

    private static void refuses(GatewayNode gateway, String key, String job, int count, String message) {
        Response refused = gateway.send(
                "POST", "/_api/jobs/many", key, "{\"jobs\":[" + (job + ",").repeat(count - 1) + job + "]}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        assertThat(refused.text("error", "message")).startsWith(message);
    }

    @Test
    void aMistypedMemberOfAMegabyteGetsAShortAnswer(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String name = "a".repeat(1_000_000);

        for (String path : List.of("/_api/jobs", "/_api/workflows", "/_api/graphs", "/_api/crons")) {
            Response refused = gateway.post(path, "{\"" + name + "\":1}");

            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.body()).hasSizeLessThan(2_000).contains("is no field here");
        }
        Response call = gateway.post("/", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + name + "\"}");
        assertThat(call.body()).hasSizeLessThan(2_000).contains("-32601");
    }

    @Test
    void aBodyThatIsAnnouncedTakesNoRoomBeforeItComes() {
        Request request = new Request(
                "",
                Map.of(),
                Map::of,
                name -> "application/json",
                null,
                "127.0.0.1",
                64 << 20,
                InputStream::nullInputStream);

        long bytes = Allocated.by(() -> {
            try {
                Body.read(
                        Routes.all().stream()
                                .filter(route -> route.path().equals("/_api/jobs") && route.bodyRequired())
                                .findFirst()
                                .orElseThrow(),
                        request,
                        64 << 20,
                        64,
                        Duration.ofSeconds(10),
                        new BodyRoom(64 << 20, 1, Duration.ZERO).share());
            } catch (Refusal refusal) {
                assertThat(refusal.status()).isEqualTo(400);
            }
        });

        assertThat(bytes).isLessThan(4 << 20);
    }
}
