package dev.muster.gateway.internal;

import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.forward.BusyMachine;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node with a gateway, and requests to it. */
final class GatewayNode {
    /** How long an answer may take on a busy machine; only a failing test waits for so long. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    static {
        BusyMachine.waitsForFirstWord();
    }

    /** Null if the node is not the test kit's. */
    final Node node;

    private final Cluster cluster;
    private final IntSupplier port;
    private final Map<Scope, String> keys = new HashMap<>();

    private GatewayNode(Cluster cluster, Node node) {
        this.cluster = cluster;
        this.node = node;
        this.port = () -> node.ports().get(0);
    }

    private GatewayNode(Cluster cluster, int port) {
        this.cluster = cluster;
        this.node = null;
        this.port = () -> port;
    }

    /** The gateway of a node that is not the test kit's. */
    static GatewayNode of(Cluster cluster, int port) {
        return new GatewayNode(cluster, port);
    }

    static GatewayNode start(Cluster cluster, Map<String, String> settings, Object... handlers) {
        Map<String, String> all = new HashMap<>(settings);
        all.putIfAbsent("gateway.port", "0");
        // A node of a busy machine must not lose its jobs.
        all.putIfAbsent("worker.lease", "1m");
        return new GatewayNode(cluster, cluster.node(all, handlers));
    }

    static GatewayNode start(Cluster cluster, Object... handlers) {
        return start(cluster, Map.of(), handlers);
    }

    int port() {
        return port.getAsInt();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /** A key with this scope, the same for each call. */
    String key(Scope scope) {
        return keys.computeIfAbsent(
                scope, one -> create(KeyRequest.of(one.text(), one)).key());
    }

    CreatedKey create(KeyRequest request) {
        return cluster.client().apiKeys().create(request);
    }

    /** @param key null for none */
    Response send(String method, String path, @Nullable String key, @Nullable String body, String... headers) {
        return documented(method, path, exchange(method, path, key, body, headers));
    }

    /** The same for an answer that may have less than the OpenAPI document says. */
    Response exchange(String method, String path, @Nullable String key, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(PATIENCE);
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        if (body != null && !List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        try {
            return new Response(CLIENT.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new IllegalStateException(method + " " + path + " failed: " + e, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whatever a test asks for: the answer is one that the OpenAPI document has. */
    private static Response documented(String method, String path, Response answer) {
        List<String> problems = DocumentedAnswers.problems(method, path, answer.status(), answer.body());
        if (!problems.isEmpty()) {
            throw new AssertionError(method + " " + path + " is not answered as the OpenAPI document says: " + problems
                    + "\n" + answer.body());
        }
        return answer;
    }

    /** Sends a request that may take long, on a thread of its own: the pool that all tests share may have a single one. */
    CompletableFuture<Response> sendLater(String method, String path, @Nullable String key, @Nullable String body) {
        return later(() -> send(method, path, key, body));
    }

    /** Runs this on a thread of its own. */
    static <T> CompletableFuture<T> later(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> {
            Thread thread = new Thread(task, "test-later");
            thread.setDaemon(true);
            thread.start();
        });
    }

    static CompletableFuture<Boolean> later(Runnable work) {
        return later(() -> {
            work.run();
            return true;
        });
    }

    /** What was begun with {@link #later}, however long it takes. */
    static <T> T ended(CompletableFuture<T> begun) throws Exception {
        return begun.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    Response get(String path) {
        return send("GET", path, key(Scope.ADMIN), null);
    }

    Response post(String path, @Nullable String body) {
        return send("POST", path, key(Scope.ADMIN), body);
    }

    /** An answer. */
    record Response(HttpResponse<String> http) {
        int status() {
            return http.statusCode();
        }

        String body() {
            return http.body();
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        /** A member of the body: {@code at("error", "code")}. */
        @Nullable
        Object at(Object... path) {
            Object value = Json.read(http.body());
            for (Object step : path) {
                value = step instanceof Integer index ? ((List<?>) value).get(index) : ((Map<?, ?>) value).get(step);
            }
            return value;
        }

        /** A member of the body as text, also if it is a number. */
        String text(Object... path) {
            Object value = at(path);
            return value instanceof Digits digits ? digits.text() : String.valueOf(value);
        }
    }
}
