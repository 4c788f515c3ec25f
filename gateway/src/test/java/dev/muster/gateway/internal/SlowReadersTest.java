package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.metrics.HttpMetrics;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.runtime.LogContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients without a key who send many requests at once, and take the answers slowly or not at all. */
class SlowReadersTest {
    private static final String PROBE = "GET /_api/health HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String NOWHERE = "GET /_api/nowhere HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String CLOSE = "GET /_api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    /** As large as a refusal can be that repeats what it was sent. */
    private static final Answer LARGE = Answer.of(Map.of("status", "a".repeat(25_000)));

    /** More than the server has threads, if it takes one request at a time. */
    private static final int MORE_THAN_THREADS = 120;

    /** Together, these answers are larger than all buffers between the server and a client. */
    private static final int MANY_LARGE = 1_000;

    private static final int MANY_SMALL = 30_000;
    private static final String LIMIT = "a limit of the test";

    private final AtomicLong probes = new AtomicLong();
    private final List<Deaf> clients = new ArrayList<>();
    private HttpServer server;

    /** A client that takes what it is told to take, and nothing else. */
    private static final class Deaf implements AutoCloseable {
        private final SocketChannel channel;
        private final ByteBuffer unsent;
        private final ByteBuffer taken = ByteBuffer.allocate(2_048);

        Deaf(int port, String requests) throws IOException {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            channel.connect(new InetSocketAddress("127.0.0.1", port));
            channel.configureBlocking(false);
            unsent = ByteBuffer.wrap(requests.getBytes(StandardCharsets.US_ASCII));
        }

        /** Sends what the server takes now; returns whether it still does. */
        boolean send() {
            try {
                return channel.write(unsent) >= 0;
            } catch (IOException e) {
                return false;
            }
        }

        /** Takes a little; returns whether the server is still there. */
        boolean take() {
            try {
                return channel.read(taken.clear()) >= 0 && send();
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private int start(String readTimeout, int connections) throws IOException {
        MusterConfig config =
                MusterConfig.defaults().with(Map.of("gateway.max_requests", "1", "gateway.read_timeout", readTimeout));
        Pipeline pipeline = new Pipeline(
                () -> null,
                config.gateway(),
                new Pipeline.Capacities(
                        RequestCapacity.ofRequests(1, () -> NodeStatus.ACTIVE, System::nanoTime),
                        RequestCapacity.ofFiles(1, () -> NodeStatus.ACTIVE, System::nanoTime),
                        new Turns(1, Duration.ofMinutes(5))),
                (header, address) ->
                        Caller.builder("key:ada", "ada", Scope.READ).build(),
                new CallerLimits(Optional.empty(), System::nanoTime),
                (route, call, handler) -> handler.get(),
                new ReplicaLag(false, () -> null, System::nanoTime));
        List<Route> routes = Routes.all();
        LogContext log = LogContext.of("a test", null);
        server = new HttpServer(
                config.gateway(),
                routes,
                pipeline,
                route -> {
                    probes.incrementAndGet();
                    return LARGE;
                },
                new HttpMetrics(routes),
                new EventStreams(0, 0, true, log),
                log,
                Optional.of(new HttpServer.Port(
                        Optional.empty(), new ConnectionLimits(connections, LIMIT, connections, LIMIT))));
        return server.start(0);
    }

    @AfterEach
    void close() throws IOException {
        for (Deaf client : clients) {
            client.close();
        }
        server.close();
    }

    private void connect(int port, int count, String requests) throws IOException {
        for (int i = 0; i < count; i++) {
            Deaf client = new Deaf(port, requests);
            clients.add(client);
            client.send();
        }
    }

    @Test
    void probesWhoseAnswersNobodyTakesKeepNoThread() throws IOException {
        int port = start("5m", 10_000);
        connect(port, MORE_THAN_THREADS, PROBE.repeat(MANY_LARGE));

        await("a moment in which nobody else is served, because all others take nothing")
                .until(() -> {
                    long before = probes.get();
                    assertThat(RawHttp.send(port, CLOSE).status()).isEqualTo(200);
                    return before >= MORE_THAN_THREADS && probes.get() == before + 1;
                });
    }

    @Test
    void whoTakesRefusalsTooSlowlyIsCutOffHoweverManyThereAre() throws IOException {
        int port = start("1s", 10);
        connect(port, 1, NOWHERE.repeat(MANY_SMALL));

        await("each answer alone is taken in time, and all together are not")
                .pollInterval(Duration.ofMillis(200))
                .until(() -> !clients.get(0).take());
    }

    @Test
    void whoDoesNotTakeRefusalsMakesRoomForOthers() throws IOException {
        int port = start("5m", 3);
        connect(port, 3, NOWHERE.repeat(MANY_SMALL));

        await().until(() -> {
            clients.forEach(Deaf::send);
            return RawHttp.send(port, CLOSE).status() == 200;
        });
    }
}
