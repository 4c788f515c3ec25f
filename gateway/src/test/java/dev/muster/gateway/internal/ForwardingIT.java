package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeInfo;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionLimit;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.ratelimit.RateKey;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A gateway that runs no functions has other nodes run them, and its callers notice nothing of it. */
@Order(1)
@MusterTest(settings = "worker.lease=60s")
class ForwardingIT {
    private static final Map<String, String> GATEWAY = Map.of("node.roles", "gateway");
    private static final Map<String, String> FUNCTIONS =
            Map.of("node.roles", "function", "node.advertise", "127.0.0.1:0");

    record Order(String article, int count) {}

    /** The functions of the nodes behind the gateway. */
    static final class Shop {
        final AtomicInteger calls = new AtomicInteger();
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @Query
        Map<String, Object> who(QueryContext ctx) {
            calls.incrementAndGet();
            return Map.of(
                    "id", ctx.caller().id(),
                    "name", ctx.caller().name(),
                    "scope", ctx.caller().scope().text(),
                    "roles", List.copyOf(ctx.caller().roles()),
                    "tenant", ctx.caller().tenant().orElse("none"),
                    "address", ctx.caller().address().orElse("none"),
                    "request", ctx.requestId());
        }

        @Query
        Order echo(Order order) {
            calls.incrementAndGet();
            return order;
        }

        @Mutation
        String placeOrder(MutationContext ctx) {
            calls.incrementAndGet();
            return "placed";
        }

        @Mutation
        String fail(Order order) {
            throw new FunctionError("sold_out", "there is no " + order.article() + " left", Map.of("left", 0));
        }

        @Query(roles = "seller")
        String forSellers() {
            return "sold";
        }

        @Query(rateLimit = @FunctionLimit(permits = 2, per = "1h", key = RateKey.Kind.TENANT))
        String rare() {
            return "rare";
        }

        @Query(timeout = "300ms")
        String late() throws InterruptedException {
            new CountDownLatch(1).await();
            return "never";
        }

        @Mutation(timeout = "10m")
        String slow() throws InterruptedException {
            calls.incrementAndGet();
            entered.countDown();
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
            return "done";
        }
    }

    private static Node functions(Cluster cluster, Shop shop) {
        return cluster.node(FUNCTIONS, shop);
    }

    private static Response call(GatewayNode gateway, String function, String args) {
        return gateway.post("/_api/rpc/" + function, args);
    }

    private static NodeInfo row(Cluster cluster, Node node) {
        return cluster.client().nodes().stream()
                .filter(info -> info.id().equals(node.id()))
                .findFirst()
                .orElseThrow();
    }

    /** The port for calls has one client that needs a connection for each call. */
    @Test
    void aGatewayHasMoreConnectionsToANodeThanAClientHasToAGateway(Cluster cluster) throws Exception {
        Shop shop = new Shop();
        Map<String, String> strict = new HashMap<>(FUNCTIONS);
        strict.put("gateway.max_connections_per_address", "1");
        cluster.node(strict, shop);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        CompletableFuture<Response> inFlight = GatewayNode.later(() -> call(gateway, "slow", null));
        shop.entered.await();

        Response other = call(gateway, "who", null);
        shop.release.countDown();

        assertThat(other.status()).as(other.body()).isEqualTo(200);
        assertThat(GatewayNode.ended(inFlight).status()).isEqualTo(200);
    }

    @Test
    void theCallerGetsTheAnswerOfTheNodeThatRunsTheFunction(Cluster cluster) {
        Shop shop = new Shop();
        functions(cluster, shop);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);

        Response echo = gateway.send(
                "POST",
                "/_api/rpc/echo",
                gateway.key(Scope.ADMIN),
                "{\"article\":\"chair – «é»\",\"count\":3}",
                "X-Request-Id",
                "r-1");

        assertThat(echo.status()).as(echo.body()).isEqualTo(200);
        assertThat(echo.body())
                .isEqualTo("{\"success\":true,\"data\":{\"article\":\"chair – «é»\",\"count\":3},\"error\":null,"
                        + "\"request_id\":\"r-1\"}");
        assertThat(echo.header("X-Request-Id")).isEqualTo("r-1");
        assertThat(echo.header("Content-Type")).isEqualTo("application/json");
        assertThat(shop.calls).hasValue(1);
        assertThat(call(gateway, "place_order", null).text("data")).isEqualTo("placed");
        String large = "x".repeat(700_000);
        assertThat(call(gateway, "echo", "{\"article\":\"" + large + "\",\"count\":1}")
                        .text("data", "article"))
                .isEqualTo(large);
    }

    @Test
    void theFunctionKnowsTheCallerOfTheGateway(Cluster cluster) {
        functions(cluster, new Shop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        var created = gateway.create(KeyRequest.of("Ada – «é»", Scope.READ)
                .roles(Set.of("buyer", "auditor"))
                .tenant("acme"));

        Response who = gateway.send("POST", "/_api/rpc/who", created.key(), null, "X-Request-Id", "r-2");

        assertThat(who.status()).as(who.body()).isEqualTo(200);
        assertThat(who.text("data", "id")).startsWith("key:");
        assertThat(who.text("data", "name")).isEqualTo("Ada – «é»");
        assertThat(who.text("data", "scope")).isEqualTo("read");
        assertThat((List<?>) who.at("data", "roles"))
                .map(String::valueOf)
                .containsExactlyInAnyOrder("buyer", "auditor");
        assertThat(who.text("data", "tenant")).isEqualTo("acme");
        assertThat(who.text("data", "address")).isEqualTo("127.0.0.1");
        assertThat(who.text("data", "request")).isEqualTo("r-2");
    }

    @Test
    void refusalsAndErrorsAreThoseOfTheFunction(Cluster cluster) {
        Shop shop = new Shop();
        functions(cluster, shop);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);

        Response scope = gateway.send("POST", "/_api/rpc/place_order", gateway.key(Scope.READ), null);
        assertThat(scope.status()).isEqualTo(403);
        assertThat(scope.text("error", "message")).contains("needs the scope write");
        Response role = gateway.send("POST", "/_api/rpc/for_sellers", gateway.key(Scope.READ), null);
        assertThat(role.status()).isEqualTo(403);
        assertThat(role.text("error", "message")).contains("needs the role seller");
        String tenant =
                gateway.create(KeyRequest.of("acme", Scope.READ).tenant("acme")).key();
        for (String unknown : List.of("for_sellers", "place_order", "for_nobody")) {
            Response hidden = gateway.send("POST", "/_api/rpc/" + unknown, tenant, null);
            assertThat(hidden.status()).isEqualTo(404);
            assertThat(hidden.text("error", "message")).isEqualTo("there is no function '" + unknown + "'");
        }
        Response args = call(gateway, "echo", "{\"article\":1}");
        assertThat(args.status()).isEqualTo(400);
        assertThat(args.text("error", "code")).isEqualTo("invalid_args");
        assertThat(call(gateway, "echo", null).text("error", "code")).isEqualTo("invalid_args");
        Response own = call(gateway, "fail", "{\"article\":\"chair\",\"count\":1}");
        assertThat(own.status()).isEqualTo(422);
        assertThat(own.text("error", "code")).isEqualTo("sold_out");
        assertThat(own.body()).contains("\"details\":{\"left\":0}");
        Response late = call(gateway, "late", null);
        assertThat(late.status()).isEqualTo(504);
        assertThat(late.text("error", "code")).isEqualTo("timeout");
        assertThat(gateway.send("POST", "/_api/rpc/echo", null, "{}").status()).isEqualTo(401);
    }

    @Test
    void aRateLimitCountsTheCallersTenantWhereverTheCallComesFrom(Cluster cluster) {
        functions(cluster, new Shop());
        GatewayNode one = GatewayNode.start(cluster, GATEWAY);
        GatewayNode other = GatewayNode.start(cluster, GATEWAY);
        String key =
                one.create(KeyRequest.of("acme", Scope.READ).tenant("acme")).key();

        Response first = one.send("POST", "/_api/rpc/rare", key, null);
        Response second = other.send("POST", "/_api/rpc/rare", key, null);
        Response third = one.send("POST", "/_api/rpc/rare", key, null);

        assertThat(first.status()).as(first.body()).isEqualTo(200);
        assertThat(first.header("X-RateLimit-Limit")).isEqualTo("2");
        assertThat(first.header("X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(second.header("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(third.status()).isEqualTo(429);
        assertThat(third.text("error", "code")).isEqualTo("rate_limited");
        assertThat(third.header("Retry-After")).isNotEmpty();
        assertThat(third.header("X-RateLimit-Reset")).isNotEmpty();
        assertThat(one.send("POST", "/_api/rpc/rare", one.key(Scope.READ), null).status())
                .as("another caller")
                .isEqualTo(200);
    }

    @Test
    void withoutANodeForItACallIsRefusedWithAReason(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);

        Response nobody = call(gateway, "echo", "{}");
        assertThat(nobody.status()).isEqualTo(503);
        assertThat(nobody.text("error", "code")).isEqualTo("no_function_node");
        assertThat(nobody.text("error", "message"))
                .isEqualTo("no node could run 'echo': no node of the cluster that is active runs functions");
        assertThat(nobody.header("Retry-After")).isNotEmpty();

        Node silent = cluster.node(Map.of("node.roles", "function"), new Shop());
        Response unreachable = call(gateway, "echo", "{}");
        assertThat(unreachable.status()).isEqualTo(503);
        assertThat(unreachable.text("error", "message"))
                .isEqualTo("no node could run 'echo': node " + silent.id()
                        + " does not say where others reach it (node.advertise)");
        String tenant =
                gateway.create(KeyRequest.of("acme", Scope.READ).tenant("acme")).key();
        Response hidden = gateway.send("POST", "/_api/rpc/echo", tenant, "{}");
        assertThat(hidden.status()).isEqualTo(503);
        assertThat(hidden.text("error", "message"))
                .as("a tenant learns nothing of nodes")
                .isEqualTo("no node could run 'echo'");
        Response unknown = call(gateway, "ecko", "{}");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text("error", "code")).isEqualTo("unknown_function");
        assertThat(unknown.text("error", "message")).contains("'ecko'", "echo");
    }

    @Test
    void aNodeWithItsOwnFunctionsForwardsTheOthers(Cluster cluster) {
        functions(cluster, new Shop());
        class Local {
            @Query
            String here() {
                return "here";
            }
        }
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("node.roles", "gateway,function"), new Local());

        assertThat(call(gateway, "here", null).text("data")).isEqualTo("here");
        assertThat(call(gateway, "place_order", null).text("data")).isEqualTo("placed");
    }

    @Test
    void aCrashedNodeIsPassedByAtOnce(Cluster cluster) throws IOException {
        Shop shop = new Shop();
        Node dead = functions(cluster, new Shop());
        functions(cluster, shop);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        try (Socket nobody = new Socket()) {
            // Nobody else gets this port, and nobody listens at it.
            nobody.bind(new InetSocketAddress("127.0.0.1", 0));
            cluster.database()
                    .execute("UPDATE muster_nodes SET address = '127.0.0.1:" + nobody.getLocalPort() + "' WHERE id = '"
                            + dead.id() + "'");

            for (int i = 0; i < 20; i++) {
                assertThat(call(gateway, "place_order", null).status()).isEqualTo(200);
            }
            assertThat(shop.calls).hasValue(20);
        }
    }

    @Test
    void aDrainingNodeFinishesTheCallsItHasAndGetsNoMore(Cluster cluster) throws Exception {
        Shop leaving = new Shop();
        Node node = functions(cluster, leaving);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        CompletableFuture<Response> inFlight = GatewayNode.later(() -> call(gateway, "slow", null));
        assertThat(leaving.entered.await(2, TimeUnit.MINUTES)).isTrue();
        Shop staying = new Shop();
        functions(cluster, staying);

        CompletableFuture<Boolean> close = GatewayNode.later(node::close);
        await().until(() -> row(cluster, node).status().text().equals("draining"));
        for (int i = 0; i < 20; i++) {
            assertThat(call(gateway, "place_order", null).status()).isEqualTo(200);
        }

        assertThat(staying.calls).hasValue(20);
        assertThat(close).isNotDone();
        leaving.release.countDown();
        assertThat(GatewayNode.ended(inFlight).text("data")).isEqualTo("done");
        GatewayNode.ended(close);
    }

    @Test
    void aNodeWithCallsSendsHeartbeatsOften(Cluster cluster) throws Exception {
        Shop shop = new Shop();
        Map<String, String> settings = new HashMap<>(FUNCTIONS);
        Duration usual = Duration.ofMillis(500);
        settings.put("cluster.heartbeat_interval", usual.toMillis() + "ms");
        Node node = cluster.node(settings, shop);
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        await().until(() -> row(cluster, node).heartbeatInterval().compareTo(usual) > 0);

        CompletableFuture<Response> inFlight = GatewayNode.later(() -> call(gateway, "slow", null));
        assertThat(shop.entered.await(2, TimeUnit.MINUTES)).isTrue();

        await().until(() -> row(cluster, node).heartbeatInterval().equals(usual));
        shop.release.countDown();
        assertThat(GatewayNode.ended(inFlight).status()).isEqualTo(200);
    }

    @Test
    void theListHasTheFunctionsOfAllNodes(Cluster cluster) {
        Node one = functions(cluster, new Shop());
        Node two = functions(cluster, new Shop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        String tenant =
                gateway.create(KeyRequest.of("acme", Scope.READ).tenant("acme")).key();

        Response list = gateway.get("/_api/functions");

        assertThat(list.status()).as(list.body()).isEqualTo(200);
        assertThat(list.text("functions", 0, "name")).isEqualTo("echo");
        assertThat(list.text("functions", 0, "kind")).isEqualTo("query");
        assertThat(list.text("functions", 0, "args")).isEqualTo("ForwardingIT.Order");
        assertThat(list.at("functions", 0, "nodes")).isEqualTo(List.of(one.id(), two.id()));
        assertThat(gateway.send("GET", "/_api/functions", tenant, null).at("functions", 0, "nodes"))
                .as("for a tenant")
                .isNull();
        assertThat(row(cluster, one).functions()).extracting("name").contains("echo", "place_order");
    }

    @Test
    void keysChangeByThemselvesAndWhenAnOperatorDeletesThem(Cluster cluster) {
        functions(cluster, new Shop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        assertThat(call(gateway, "place_order", null).status()).isEqualTo(200);
        assertThat(keys(cluster)).isEqualTo(1);

        cluster.clock().advance(Duration.ofDays(1).plusSeconds(1));
        awaitServed(gateway);
        assertThat(keys(cluster)).as("the old one is accepted for a while").isEqualTo(2);

        cluster.database().execute("DELETE FROM muster_cluster_keys");
        assertThat(call(gateway, "place_order", null).status())
                .as("with the key that both nodes remember")
                .isEqualTo(200);
        cluster.clock().advance(Duration.ofSeconds(31));
        awaitServed(gateway);
        assertThat(keys(cluster)).isEqualTo(1);
    }

    /** After the clock was moved, nodes look dead until their next heartbeats. */
    private static void awaitServed(GatewayNode gateway) {
        await().until(() -> call(gateway, "place_order", null).status() == 200);
    }

    private static long keys(Cluster cluster) {
        return cluster.database().number("SELECT count(*) FROM muster_cluster_keys");
    }

    @Test
    void aKeyThatOnlyTheGatewayRemembersIsReplaced(Cluster cluster) {
        functions(cluster, new Shop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        assertThat(call(gateway, "place_order", null).status()).isEqualTo(200);
        cluster.database().execute("DELETE FROM muster_cluster_keys");

        Shop shop = new Shop();
        Node fresh = functions(cluster, shop);
        cluster.database()
                .execute("UPDATE muster_nodes SET status = 'draining' WHERE 'function' = ANY (roles) AND id <> '"
                        + fresh.id() + "'");

        Response answer = call(gateway, "place_order", null);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(shop.calls).hasValue(1);
    }

    @Test
    void manyCallsAtATimeGoToAllNodes(Cluster cluster) {
        List<Shop> shops = List.of(new Shop(), new Shop(), new Shop());
        shops.forEach(shop -> functions(cluster, shop));
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY);
        gateway.key(Scope.ADMIN);

        ExecutorService callers = Executors.newFixedThreadPool(16);
        try {
            List<CompletableFuture<Response>> calls = IntStream.range(0, 300)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> call(gateway, "place_order", null), callers))
                    .toList();
            assertThat(calls)
                    .allSatisfy(
                            call -> assertThat(GatewayNode.ended(call).status()).isEqualTo(200));
        } finally {
            callers.shutdownNow();
        }
        assertThat(shops).allSatisfy(shop -> assertThat(shop.calls.get()).isPositive());
        assertThat(shops.stream().mapToInt(shop -> shop.calls.get()).sum()).isEqualTo(300);
    }
}
