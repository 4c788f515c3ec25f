package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a caller with a key can take of a gateway: not so much that others get nothing. */
@MusterTest
class GreedyCallersIT {
    /** Of sixteen places one caller has twelve. The others have room for each other's requests that are just being answered. */
    private static final int PLACES = 16;

    private static final int PLACES_OF_ONE_CALLER = 12;

    /** With ten connections eight requests are worked on at the same time, six of one caller. */
    private static final int CONNECTIONS = 10;

    private static final int TURNS_OF_ONE_CALLER = 6;

    /** A job and a function. */
    static final class Shop {
        @Job("greet")
        void greet() {}

        @Job(value = "keep", queue = "elsewhere")
        void keep(String args) {}

        @Query
        String now() {
            return "now";
        }

        @Query
        int audited(QueryContext context) throws SQLException {
            try (Statement statement = context.connection().createStatement();
                    ResultSet rows = statement.executeQuery("SELECT count(*) FROM muster_audit")) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    /** A node with a pool of its own, whose size it knows. */
    private static Muster start(Cluster cluster, String... settings) {
        cluster.client().migrate();
        MusterBuilder builder = Muster.builder()
                .set("database.url", cluster.database().url())
                .set("database.pool_size", String.valueOf(CONNECTIONS))
                .set("gateway.port", "0")
                .set("gateway.read_timeout", "5m")
                .set("worker.lease", "1m")
                .register(new Shop());
        for (int i = 0; i < settings.length; i += 2) {
            builder.set(settings[i], settings[i + 1]);
        }
        Muster muster = builder.build();
        muster.start();
        return muster;
    }

    private static long waiting(Cluster cluster) {
        return cluster.database()
                .number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND state = 'active'");
    }

    /** How many requests the gateway handles, without the one that asks. */
    private static int inFlight(GatewayNode gateway) {
        String page = gateway.get("/_api/metrics").body();
        return page.lines()
                        .filter(line -> line.startsWith("muster_http_requests_in_flight"))
                        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                        .sum()
                - 1;
    }

    @Test
    void whoHasAllItsTurnsDoesNotStopOthers(Cluster cluster) throws Exception {
        try (Muster muster = start(cluster);
                Connection blocker = cluster.database().dataSource().getConnection();
                Statement statement = blocker.createStatement()) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String greedy = gateway.create(KeyRequest.of("greedy", Scope.ADMIN)).key();
            String other = gateway.create(KeyRequest.of("other", Scope.WRITE)).key();
            await("all parts of the node have started")
                    .until(() -> gateway.send("GET", "/_api/ready", null, null).status() == 200);
            blocker.setAutoCommit(false);
            statement.execute("LOCK TABLE muster_audit IN ACCESS EXCLUSIVE MODE");
            List<CompletableFuture<Response>> stuck = new ArrayList<>();
            for (int i = 0; i < 3 * CONNECTIONS; i++) {
                stuck.add(gateway.sendLater("GET", "/_api/audit", greedy, null));
            }
            await().until(() -> waiting(cluster) == TURNS_OF_ONE_CALLER);

            // The gateway has not seen this key before, and looks it up.
            for (int i = 0; i < 20; i++) {
                assertThat(gateway.send("GET", "/_api/jobs", other, null).status())
                        .isEqualTo(200);
                assertThat(gateway.send("POST", "/_api/jobs", other, "{\"name\":\"greet\"}")
                                .status())
                        .isEqualTo(201);
            }
            Response ready = gateway.send("GET", "/_api/ready", null, null);
            assertThat(ready.status()).as(ready.body()).isEqualTo(200);
            assertThat(gateway.send("POST", "/_api/rpc/now", greedy, null).status())
                    .as("functions take no turns")
                    .isEqualTo(200);
            await().until(() -> waiting(cluster) == TURNS_OF_ONE_CALLER);
            blocker.rollback();
            for (CompletableFuture<Response> request : stuck) {
                // On a busy machine some have waited for longer than a statement may take, and failed.
                assertThat(GatewayNode.ended(request).status()).isPositive();
            }
            assertThat(gateway.send("GET", "/_api/audit", greedy, null).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void whoseFunctionsHaveConnectionsDoesNotStopOthers(Cluster cluster) throws Exception {
        try (Muster muster = start(cluster);
                Connection blocker = cluster.database().dataSource().getConnection();
                Statement statement = blocker.createStatement()) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String greedy = gateway.create(KeyRequest.of("greedy", Scope.ADMIN)).key();
            String other = gateway.create(KeyRequest.of("other", Scope.WRITE)).key();
            await("all parts of the node have started")
                    .until(() -> gateway.send("GET", "/_api/ready", null, null).status() == 200);
            blocker.setAutoCommit(false);
            statement.execute("LOCK TABLE muster_audit IN ACCESS EXCLUSIVE MODE");
            List<CompletableFuture<Response>> stuck = new ArrayList<>();
            for (int i = 0; i < 3 * CONNECTIONS; i++) {
                stuck.add(gateway.sendLater("POST", "/_api/rpc/audited", greedy, null));
            }
            await().until(() -> waiting(cluster) == TURNS_OF_ONE_CALLER);

            for (int i = 0; i < 20; i++) {
                assertThat(gateway.send("GET", "/_api/jobs", other, null).status())
                        .isEqualTo(200);
                assertThat(gateway.send("POST", "/_api/jobs", other, "{\"name\":\"greet\"}")
                                .status())
                        .isEqualTo(201);
            }
            assertThat(waiting(cluster)).isEqualTo(TURNS_OF_ONE_CALLER);
            assertThat(gateway.send("POST", "/_api/rpc/now", greedy, null).status())
                    .as("a function without a connection takes no turn")
                    .isEqualTo(200);
            blocker.rollback();
            for (CompletableFuture<Response> request : stuck) {
                // On a busy machine some have waited for longer than a function may take, and failed.
                assertThat(GatewayNode.ended(request).status()).isPositive();
            }
            assertThat(gateway.send("POST", "/_api/rpc/audited", greedy, null).status())
                    .as("the turns were given back")
                    .isEqualTo(200);
        }
    }

    @Test
    void whoeverTakesALargeAnswerSlowlyLosesItWhenOthersWait(Cluster cluster) throws Exception {
        ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();
        List<Socket> slow = new CopyOnWriteArrayList<>();
        try (Muster muster = start(cluster, "gateway.read_timeout", "20s")) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String modest = gateway.create(KeyRequest.of("modest", Scope.WRITE)).key();
            for (int i = 0; i < 18; i++) {
                cluster.client()
                        .jobs()
                        .enqueue(JobRequest.of("keep", "x".repeat(900_000)).queue("elsewhere"));
            }
            reader.scheduleWithFixedDelay(() -> readSlowly(slow), 0, 200, TimeUnit.MILLISECONDS);
            // As many callers as there are places, because one alone would leave the last one to others.
            for (int i = 0; i < Math.max(1, Runtime.getRuntime().maxMemory() / (256 << 20)); i++) {
                String key =
                        gateway.create(KeyRequest.of("slow" + i, Scope.READ)).key();
                Socket socket = slowReader(gateway.port(), key);
                assertThat(status(socket)).isEqualTo("HTTP/1.1 200");
                slow.add(socket);
            }

            Response answer = gateway.send("GET", "/_api/jobs", modest, null);

            assertThat(answer.status())
                    .as("it waits, and gets the place of another")
                    .isEqualTo(200);
            assertThat(gateway.send("POST", "/_api/jobs", modest, "{\"name\":\"greet\"}")
                            .status())
                    .isEqualTo(201);
            for (Socket socket : slow) {
                socket.close();
            }
            await("everything is given back").until(() -> inFlight(gateway) == 0);
        } finally {
            reader.shutdownNow();
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** Takes some of each answer, so that no connection is idle. */
    private static void readSlowly(List<Socket> sockets) {
        for (Socket socket : sockets) {
            try {
                socket.getInputStream().readNBytes(20_000);
            } catch (IOException e) {
                sockets.remove(socket);
            }
        }
    }

    /** Asks for all jobs, and has hardly any memory for the answer. */
    private static Socket slowReader(int port, String key) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.getOutputStream()
                .write(("GET /_api/jobs HTTP/1.1\r\nHost: x\r\nX-API-Key: " + key + "\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    @Test
    void whoHasAllItsPlacesDoesNotStopOthers(Cluster cluster) throws Exception {
        try (Muster muster = start(cluster, "gateway.max_requests", String.valueOf(PLACES))) {
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String greedy = gateway.create(KeyRequest.of("greedy", Scope.WRITE).tenant("t"))
                    .key();
            String sameTenant = gateway.create(
                            KeyRequest.of("same", Scope.WRITE).tenant("t"))
                    .key();
            String other = gateway.create(KeyRequest.of("other", Scope.WRITE)).key();
            // It takes its places, is refused, and gives them back; each time it gets as many.
            for (int round = 0; round < 3; round++) {
                List<Socket> slow = new ArrayList<>();
                try {
                    // One is refused while a request that was answered just now still has its place.
                    await("it has all its places").until(() -> {
                        slow.add(slowBody(gateway.port(), greedy));
                        if (!isAskedForItsBody(slow.get(slow.size() - 1))) {
                            slow.remove(slow.size() - 1).close();
                        }
                        return slow.size() == PLACES_OF_ONE_CALLER;
                    });
                    assertThat(gateway.send("GET", "/_api/me", greedy, null).status())
                            .isEqualTo(429);
                    Response refused = gateway.send("GET", "/_api/me", sameTenant, null);
                    assertThat(refused.status()).as(refused.body()).isEqualTo(429);
                    assertThat(refused.text("error", "code")).isEqualTo("too_many_requests");
                    assertThat(refused.text("error", "message"))
                            .isEqualTo("this node handles 12 requests of yours already, and its last 4 places are for"
                                    + " others; gateway.max_requests is 16");
                    assertThat(refused.header("Retry-After")).isEqualTo("1");
                    assertThat(gateway.send("GET", "/_api/jobs", other, null).status())
                            .isEqualTo(200);
                    assertThat(gateway.send("POST", "/_api/jobs", other, "{\"name\":\"greet\"}")
                                    .status())
                            .isEqualTo(201);
                } finally {
                    for (Socket socket : slow) {
                        socket.close();
                    }
                }
                await("the places are given back").until(() -> inFlight(gateway) == 0);
                assertThat(gateway.send("GET", "/_api/me", greedy, null).status())
                        .isEqualTo(200);
            }
        }
    }

    /** Announces a body, and sends none of it. */
    private static Socket slowBody(int port, String key) throws IOException {
        Socket socket = RawHttp.connect(port, "127.0.0.1");
        socket.getOutputStream()
                .write(("POST /_api/jobs HTTP/1.1\r\nHost: x\r\nX-API-Key: " + key
                                + "\r\nContent-Type: application/json\r\nContent-Length: 900000"
                                + "\r\nExpect: 100-continue\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    /** Whether the gateway wants the body: then the request has a place, and keeps it until the body has come. */
    private static boolean isAskedForItsBody(Socket socket) throws IOException {
        String status = status(socket);
        assertThat(status).isIn("HTTP/1.1 100", "HTTP/1.1 429");
        return status.endsWith("100");
    }
}
