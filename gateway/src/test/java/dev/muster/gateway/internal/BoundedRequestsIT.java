package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testing.Allocated;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
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

    /** Requests that have read much, and whose answers are not made yet. */
    static final class LargeAnswers {
        final AtomicInteger begun = new AtomicInteger();
        final CountDownLatch release = new CountDownLatch(1);

        @Job(value = "keep", queue = "elsewhere")
        void keep(String args) {}

        @Workflow(name = "order", version = "v1")
        void order(WorkflowContext ctx, String args) {
            ctx.sleep(Duration.ofDays(1));
        }

        @Query
        String large() throws InterruptedException {
            LargeReads.count(2 << 20);
            begun.incrementAndGet();
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
            return "done";
        }
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

            String half = "{\"name\":\"greet\",\"depends_on\":[%s]}";
            Response distinctParents = gateway.send(
                    "POST",
                    "/_api/jobs/many",
                    tenant,
                    "{\"jobs\":[" + half.formatted(ids(0, 5_001)) + "," + half.formatted(ids(5_001, 10_002)) + "]}");
            assertThat(distinctParents.status()).isEqualTo(400);
            assertThat(distinctParents.text("error", "message")).contains("10000 different jobs at most");

            assertThat(source.ofThreads("muster-gateway")).isLessThan(MOST_STATEMENTS);
        }
    }

    private static String ids(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj("\"0198c5a2-7d1e-7c3a-9b1f-%012d\""::formatted)
                .collect(Collectors.joining(","));
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

        Route route = Routes.all().stream()
                .filter(one -> one.path().equals("/_api/jobs") && one.bodyRequired())
                .findFirst()
                .orElseThrow();

        long bytes = Allocated.by(() -> {
            try {
                byte[] arrived = Body.arrived(
                        route,
                        request,
                        64 << 20,
                        Duration.ofSeconds(10),
                        new ArrivedBodies(64 << 20, 1).share("a test"));
                Body.read(route, request, arrived, 64, new BodyRoom(64 << 20, 1, Duration.ZERO).share("a test"));
            } catch (Refusal refusal) {
                assertThat(refusal.status()).isEqualTo(400);
            }
        });

        assertThat(bytes).isLessThan(4 << 20);
    }

    @Test
    void aBodyForWhichTheHeapHasNoRoomIsNotRead() {
        byte[] body = ("{\"name\":\"" + "a".repeat(100_000) + "\"}").getBytes(StandardCharsets.UTF_8);
        Request request = new Request(
                "",
                Map.of(),
                Map::of,
                name -> "application/json",
                null,
                "127.0.0.1",
                body.length,
                () -> new ByteArrayInputStream(body));
        Route route = Routes.all().stream()
                .filter(one -> one.path().equals("/_api/jobs") && one.bodyRequired())
                .findFirst()
                .orElseThrow();
        BodyRoom room = new BodyRoom(1 << 20, 1, Duration.ZERO);
        BodyRoom.Share others = room.share("others");
        others.take(1 << 20);

        assertThatThrownBy(() -> Body.read(route, request, body, 64, room.share("a test")))
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).code())
                .isEqualTo("busy");

        others.close();
        assertThat(Body.read(route, request, body, 64, room.share("a test")).text())
                .hasSize(body.length);
    }

    @Test
    void aBodyForWhichNothingIsLeftIsRefusedWhileItArrives() {
        byte[] body = ("{\"name\":\"" + "a".repeat(500_000) + "\"}").getBytes(StandardCharsets.UTF_8);
        ByteArrayInputStream arriving = new ByteArrayInputStream(body);
        Request request = new Request(
                "", Map.of(), Map::of, name -> "application/json", null, "127.0.0.1", body.length, () -> arriving);
        Route route = Routes.all().stream()
                .filter(one -> one.path().equals("/_api/jobs") && one.bodyRequired())
                .findFirst()
                .orElseThrow();
        ArrivedBodies arrived = new ArrivedBodies(1 << 20, 1);
        ArrivedBodies.Share others = arrived.share("others");
        others.growTo((2 << 20) - 300_000);

        assertThatThrownBy(() -> Body.arrived(route, request, 1 << 20, Duration.ofSeconds(10), arrived.share("a test")))
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).code())
                .isEqualTo("busy");
        assertThat(arriving.available()).as("the rest was not read").isGreaterThan(200_000);

        others.close();
        arriving.reset();
        ArrivedBodies.Share own = arrived.share("another");
        assertThat(Body.arrived(route, request, 1 << 20, Duration.ofSeconds(10), own))
                .isEqualTo(body);
    }

    /** A request that reads this, and finds no place for what is more than usual. */
    private static void needsAPlace(Runnable read) {
        new LargeReads(0, 0, 0, Duration.ZERO, Duration.ZERO).begin("a test", true);
        try {
            assertThatThrownBy(read::run).isInstanceOf(LargeReads.TooMany.class);
        } finally {
            LargeReads.end();
        }
        read.run();
    }

    @Test
    void oneJobOneRunAndALogCountToo(Cluster cluster) {
        GatewayNode.start(cluster, new LargeAnswers());
        Muster client = cluster.client();
        String text = "x".repeat(200_000);
        JobId job = client.jobs().enqueue(JobRequest.of("keep", text).queue("elsewhere"));
        JobId run = client.workflows().start("order", text);
        cluster.database()
                .execute("INSERT INTO muster_job_logs (job_id, at, attempt, level, message) SELECT '" + job
                        + "', muster_clock(), 1, 'info', repeat('x', 4000) FROM generate_series(1, 50)");

        needsAPlace(() -> client.jobs().find(job));
        needsAPlace(() -> client.workflows().find(run));
        needsAPlace(() -> client.jobs().logs(job, 0, 1000));
    }

    @Test
    void onlySoManyLargeAnswersAreMadeAtOnce(Cluster cluster) throws Exception {
        LargeAnswers functions = new LargeAnswers();
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "2s"), functions);
        String key = gateway.key(Scope.READ);
        for (int i = 0; i < 2; i++) {
            cluster.client()
                    .jobs()
                    .enqueue(JobRequest.of("keep", "x".repeat(900_000)).queue("elsewhere"));
        }
        int most = (int) Math.max(1, Runtime.getRuntime().maxMemory() / (256 << 20));
        List<CompletableFuture<Response>> held = new ArrayList<>();
        try {
            for (int i = 0; i < most; i++) {
                String one =
                        gateway.create(KeyRequest.of("large" + i, Scope.READ)).key();
                held.add(gateway.sendLater("POST", "/_api/rpc/large", one, null));
            }
            await().until(() -> functions.begun.get() == most);

            Response refused = gateway.send("GET", "/_api/jobs", key, null);

            assertThat(refused.status())
                    .as("with %s large answers under way", most)
                    .isEqualTo(503);
            assertThat(refused.text("error", "code")).isEqualTo("busy");
            assertThat(gateway.send("GET", "/_api/jobs?name=greet", key, null).status())
                    .as("small answers have room")
                    .isEqualTo(200);
        } finally {
            functions.release.countDown();
        }
        for (CompletableFuture<Response> call : held) {
            assertThat(GatewayNode.ended(call).status()).isEqualTo(200);
        }
        assertThat(gateway.send("GET", "/_api/jobs", key, null).status()).isEqualTo(200);
    }
}
