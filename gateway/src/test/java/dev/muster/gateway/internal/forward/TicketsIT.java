package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeInfo;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.internal.node.NodeContext;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What somebody can do who reaches the port for forwarded calls and has no key of the cluster, or has seen calls of others: nothing. */
class TicketsIT {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String ARGS = "\"chair\"";
    private static final Caller ADA = Caller.builder("key:1", "Ada", Scope.WRITE)
            .auth(Auth.KEY)
            .address(Optional.of("192.0.2.7"))
            .build();

    private static final Shop SHOP = new Shop();
    private static TestDatabase database;
    private static Cluster cluster;
    private static Muster client;
    private static NodeInfo node;

    static final class Shop {
        final AtomicInteger calls = new AtomicInteger();

        @Mutation
        String order(MutationContext ctx, String article) {
            calls.incrementAndGet();
            return article + " for " + ctx.caller().name();
        }

        @Mutation
        String other(String article) {
            calls.incrementAndGet();
            return article;
        }
    }

    @BeforeAll
    static void startNode() {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database);
        client = cluster.client();
        cluster.node(Map.of("node.roles", "function", "node.advertise", "127.0.0.1:0"), SHOP);
        node = client.nodes().stream()
                .filter(one -> !one.functions().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @AfterAll
    static void stopNode() {
        cluster.close();
        database.close();
    }

    @BeforeEach
    void forgetCalls() {
        SHOP.calls.set(0);
    }

    private Ticket ticket() {
        return new Ticket(
                "order",
                true,
                Signatures.hash(ARGS.getBytes(StandardCharsets.UTF_8)),
                ADA,
                "r-1",
                node.id(),
                node.incarnation(),
                UUID.randomUUID().toString(),
                now().plus(TicketCheck.LIFE),
                Duration.ofSeconds(10),
                1);
    }

    private Instant now() {
        return AccessSubsystem.databaseClock(client.api(NodeContext.class)).doubted();
    }

    private ClusterKey key() {
        return AccessSubsystem.clusterKeys(client.api(NodeContext.class)).toSign();
    }

    /** The headers of a call. */
    private static Map<String, String> headers(Ticket ticket, ClusterKey key) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put(Ticket.HEADER, ticket.encode());
        headers.put(Signatures.HEADER, Signatures.ofCall(key, ticket.encode()));
        return headers;
    }

    private HttpResponse<String> send(String method, String path, Map<String, String> headers, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://" + node.address().orElseThrow() + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, BodyPublishers.ofString(body));
        headers.forEach(request::header);
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> send(Ticket ticket) {
        return send("POST", "/_internal/rpc/order", headers(ticket, key()), ARGS);
    }

    private void assertRefused(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body())
                .contains("\"code\":\"unauthorized\",\"message\":\"the call was refused\",\"details\":null");
        assertThat(answer.headers().firstValue(Signatures.HEADER)).isEmpty();
    }

    @Test
    void aSignedCallRunsOnceAndItsAnswerIsSigned() {
        Ticket ticket = ticket();
        ClusterKey key = key();
        Map<String, String> headers = headers(ticket, key);

        HttpResponse<String> answer = send("POST", "/_internal/rpc/order", headers, ARGS);
        HttpResponse<String> replayed = send("POST", "/_internal/rpc/order", headers, ARGS);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("chair for Ada", "\"request_id\":\"r-1\"");
        assertThat(answer.headers().firstValue(Signatures.HEADER))
                .contains(Signatures.ofAnswer(
                        key, ticket.nonce(), 200, Map.of(), answer.body().getBytes(StandardCharsets.UTF_8)));
        assertRefused(replayed);
        assertThat(SHOP.calls).hasValue(1);
    }

    @Test
    void aCallWithoutTheRightSignatureIsRefused() {
        ClusterKey key = key();
        ClusterKey forged = new ClusterKey(key.number(), new byte[32], Duration.ofDays(1), Duration.ofDays(1));
        ClusterKey unknown = new ClusterKey(key.number() + 1, key.secret(), Duration.ofDays(1), Duration.ofDays(1));
        Map<String, String> unsigned = headers(ticket(), key);
        unsigned.remove(Signatures.HEADER);
        Map<String, String> without = headers(ticket(), key);
        without.remove(Ticket.HEADER);
        Map<String, String> notOfATicket = headers(ticket(), key);
        notOfATicket.put(Ticket.HEADER, ticket().encode());
        Map<String, String> unreadable = headers(ticket(), key);
        unreadable.put(Ticket.HEADER, "e30");
        unreadable.put(Signatures.HEADER, Signatures.ofCall(key, "e30"));

        assertRefused(send("POST", "/_internal/rpc/order", headers(ticket(), forged), ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", headers(ticket(), unknown), ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", unsigned, ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", without, ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", notOfATicket, ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", unreadable, ARGS));
        assertRefused(send("POST", "/_internal/rpc/order", Map.of("Content-Type", "application/json"), ARGS));
        assertThat(SHOP.calls).hasValue(0);
    }

    @Test
    void anotherBodyOrPathThanTheSignedOneIsRefused() {
        assertRefused(send("POST", "/_internal/rpc/order", headers(ticket(), key()), "\"table\""));
        assertRefused(send("POST", "/_internal/rpc/other", headers(ticket(), key()), ARGS));
        assertThat(SHOP.calls).hasValue(0);
    }

    @Test
    void aCallForAnotherNodeOrForAnEarlierIncarnationIsRefused() {
        assertRefused(send(with(ticket(), "node-x", node.incarnation(), now().plusSeconds(10), 1)));
        assertRefused(send(with(ticket(), node.id(), UUID.randomUUID(), now().plusSeconds(10), 1)));
        assertThat(SHOP.calls).hasValue(0);
    }

    @Test
    void aCallThatHasExpiredOrNeverExpiresIsRefused() {
        assertRefused(send(with(ticket(), node.id(), node.incarnation(), now().minusSeconds(60), 1)));
        assertRefused(send(with(ticket(), node.id(), node.incarnation(), now().plusSeconds(3_600), 1)));
        assertThat(SHOP.calls).hasValue(0);
    }

    @Test
    void aCallThatWasForwardedTwiceIsRefused() {
        assertRefused(send(with(ticket(), node.id(), node.incarnation(), now().plusSeconds(10), 2)));
        assertThat(SHOP.calls).hasValue(0);
    }

    @Test
    void thePortHasNothingElse() {
        for (String path :
                new String[] {"/", "/_api/health", "/_api/ready", "/_api/jobs", "/_api/rpc/order", "/_internal/rpc"}) {
            assertThat(send("GET", path, Map.of(), "").statusCode()).as(path).isEqualTo(404);
        }
        assertThat(send("GET", "/_internal/rpc/order", Map.of(), "").statusCode())
                .isEqualTo(405);
    }

    private static Ticket with(Ticket ticket, String node, UUID incarnation, Instant expires, int hops) {
        return new Ticket(
                ticket.function(),
                ticket.hasArgs(),
                ticket.bodyHash(),
                ticket.caller(),
                ticket.requestId(),
                node,
                incarnation,
                ticket.nonce(),
                expires,
                ticket.within(),
                hops);
    }
}
