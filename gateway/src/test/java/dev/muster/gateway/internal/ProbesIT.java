package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.Muster;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.JobId;
import dev.muster.testing.Measured;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What load balancers see while a node starts, drains, loses its database, or is attacked: the right code, in time. */
@MusterTest(settings = "worker.lease=60s")
class ProbesIT {
    private static final Duration IN_TIME = Duration.ofSeconds(5);
    private static final Duration NOTICE = Duration.ofSeconds(2);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** A query that takes until it is let go. */
    static final class Slow {
        final CountDownLatch entered = new CountDownLatch(1);
        final AtomicInteger running = new AtomicInteger();
        final CountDownLatch release = new CountDownLatch(1);

        @Query
        String slow() throws InterruptedException {
            entered.countDown();
            running.incrementAndGet();
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
            return "done";
        }
    }

    private static HttpResponse<String> probe(int port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        long began = System.nanoTime();
        HttpResponse<String> answer = CLIENT.send(
                HttpRequest.newBuilder(uri).timeout(GatewayNode.PATIENCE).build(), BodyHandlers.ofString());
        Measured.within(IN_TIME, Duration.ofNanos(System.nanoTime() - began), "a probe");
        return answer;
    }

    private interface Look {
        void run() throws Exception;
    }

    /** What a class has logged meanwhile. */
    private static List<String> whileListening(String type, Look look) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(type);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            look.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aStartingNodeIsAliveAndNotReady(Cluster cluster) throws Exception {
        cluster.client().migrate();
        try (Connection blocker = cluster.database().dataSource().getConnection();
                Statement statement = blocker.createStatement();
                Muster muster = Muster.builder()
                        .config(MusterConfig.defaults())
                        .dataSource(cluster.database().dataSource())
                        .set("gateway.port", "0")
                        .build()) {
            blocker.setAutoCommit(false);
            statement.execute("LOCK TABLE muster_nodes IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Boolean> start = GatewayNode.later(muster::start);
            await().until(() -> !muster.ports().isEmpty());
            int port = muster.ports().get(0);

            assertThat(probe(port, "/_api/health").statusCode()).isEqualTo(200);
            List<String> logged = whileListening(
                    "dev.muster.internal.assembly.NodeParts",
                    () -> assertThat(probe(port, "/_api/ready").statusCode()).isEqualTo(503));
            assertThat(logged).as("about parts that have not started").isEmpty();
            HttpResponse<String> other = probe(port, "/_api/queues");
            assertThat(other.statusCode()).isEqualTo(503);
            assertThat(other.body()).contains("\"code\":\"starting\"");
            assertThat(other.headers().firstValue("Retry-After")).contains("1");

            blocker.rollback();
            GatewayNode.ended(start);
            await("a look that takes long is answered with the one before")
                    .until(() -> probe(port, "/_api/ready").statusCode() == 200);
            assertThat(probe(port, "/_api/queues").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void withoutItsDatabaseANodeIsAliveAndNotReadyWhateverElseIsAsked(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);
        assertThat(gateway.get("/_api/queues").status()).isEqualTo(200);

        gateway.node.cutDatabase();
        List<CompletableFuture<Response>> others = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            others.add(gateway.sendLater("GET", "/_api/queues", key, null));
        }

        assertThat(probe(gateway.port(), "/_api/health").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = probe(gateway.port(), "/_api/ready");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("\"database\":false");
        for (CompletableFuture<Response> other : others) {
            assertThat(GatewayNode.ended(other).status()).isIn(503, 200);
        }
        gateway.node.restoreDatabase();
        await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 200);
    }

    /** The first version of a workflow. */
    static final class Old {
        @Workflow(name = "wait", version = "v1")
        String run(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    /** The next version, without the code of the first. */
    static final class New {
        @Workflow(name = "wait", version = "v2")
        String run(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    @Test
    void aNodeThatStrandsRunsIsAliveAndNotReadyUntilTheirCodeIsBack(Cluster cluster) throws Exception {
        Node old = cluster.node(new Old());
        Workflows workflows = cluster.client().workflows();
        JobId run = workflows.start("wait", null);
        await().until(() -> workflows.find(run).orElseThrow().status() == RunStatus.WAITING);
        GatewayNode gateway = GatewayNode.start(cluster, new New());
        HttpResponse<String> served = probe(gateway.port(), "/_api/ready");
        assertThat(served.statusCode()).as(served.body()).isEqualTo(200);

        old.close();

        await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 503);
        assertThat(probe(gateway.port(), "/_api/ready").body())
                .contains("\"ready\":false", "\"database\":true", "\"workflows\":false")
                .doesNotContain("wait", "v1");
        assertThat(probe(gateway.port(), "/_api/health").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/_api/queues").status())
                .as("requests that come all the same are served")
                .isEqualTo(200);
        GatewayNode next = GatewayNode.start(cluster, new New());
        assertThat(probe(next.port(), "/_api/ready").statusCode())
                .as("a node that starts without the code")
                .isEqualTo(503);

        cluster.node(new Old());

        await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 200);
        await().until(() -> probe(next.port(), "/_api/ready").statusCode() == 200);
    }

    @Test
    void aDrainLetsBalancersNoticeAndRequestsEnd(Cluster cluster) throws Exception {
        Slow slow = new Slow();
        GatewayNode gateway =
                GatewayNode.start(cluster, Map.of("gateway.drain_notice", "2s", "gateway.drain_timeout", "5m"), slow);
        int port = gateway.port();
        String key = gateway.key(Scope.ADMIN);
        CompletableFuture<Response> inFlight = gateway.sendLater("POST", "/_api/rpc/slow", key, null);
        assertThat(slow.entered.await(2, TimeUnit.MINUTES)).isTrue();

        long closed = System.nanoTime();
        CompletableFuture<Boolean> close = GatewayNode.later(gateway.node::close);

        await().until(() -> probe(port, "/_api/ready").statusCode() == 503);
        int served = gateway.send("GET", "/_api/queues", key, null).status();
        // Who is refused was too slow, or the gateway has not kept its word.
        if (System.nanoTime() - closed < NOTICE.toNanos()) {
            assertThat(served).as("within the notice").isEqualTo(200);
        }
        await().until(() -> gateway.send("GET", "/_api/queues", key, null).status() == 503);
        Response refused = gateway.send("GET", "/_api/queues", key, null);
        assertThat(refused.text("error", "code")).isEqualTo("draining");
        assertThat(probe(port, "/_api/health").statusCode()).isEqualTo(200);
        assertThat(close).isNotDone();
        slow.release.countDown();
        assertThat(GatewayNode.ended(inFlight).text("data")).isEqualTo("done");
        GatewayNode.ended(close);
    }

    @Test
    void halfOpenClientsDoNotBlockTheProbes(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);
        List<Socket> halfOpen = new ArrayList<>();
        try {
            for (Route route : Routes.all()) {
                String path = route.path().replaceAll("\\{[a-z]+}", "x");
                for (String half : List.of(
                        route.method() + " " + path + " HTTP/1.1\r\nHost: x\r\n",
                        route.method() + " " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key
                                + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")) {
                    Socket socket = RawHttp.connect(gateway.port(), "127.0.0.1");
                    socket.getOutputStream().write(half.getBytes(StandardCharsets.UTF_8));
                    halfOpen.add(socket);
                }
            }

            for (int i = 0; i < 5; i++) {
                assertThat(probe(gateway.port(), "/_api/health").statusCode()).isEqualTo(200);
                // On a busy machine a look at the database may take too long.
                await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 200);
            }
            assertThat(gateway.get("/_api/queues").status()).isEqualTo(200);
        } finally {
            for (Socket socket : halfOpen) {
                socket.close();
            }
        }
    }

    @Test
    void moreRequestsThanAllowedGet503AndProbesAreAnswered(Cluster cluster) throws Exception {
        Slow slow = new Slow();
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.max_requests", "2"), slow);
        String key = gateway.key(Scope.READ);
        List<CompletableFuture<Response>> calls = new ArrayList<>();
        for (int running = 1; running <= 2; running++) {
            int now = running;
            calls.add(gateway.sendLater("POST", "/_api/rpc/slow", key, null));
            await().until(() -> slow.running.get() == now);
        }

        Response busy = gateway.send("GET", "/_api/functions", key, null);
        assertThat(busy.text("error", "code")).isEqualTo("busy");
        assertThat(busy.header("Retry-After")).isEqualTo("1");
        await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 200);
        cluster.clock().advance(Duration.ofSeconds(11));
        await("nobody should be sent to a gateway that stands still")
                .until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 503);
        slow.release.countDown();
        for (CompletableFuture<Response> call : calls) {
            assertThat(GatewayNode.ended(call).status()).isEqualTo(200);
        }
        assertThat(gateway.send("GET", "/_api/functions", key, null).status()).isEqualTo(200);
        await().until(() -> probe(gateway.port(), "/_api/ready").statusCode() == 200);
    }
}
