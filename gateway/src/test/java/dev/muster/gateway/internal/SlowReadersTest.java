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

/** Clients without a key who send many requests at once, and take no answer. */
class SlowReadersTest {
    private static final String PROBE = "GET /_api/health HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String CLOSE = "GET /_api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    /** As large as a refusal can be that repeats what it was sent. */
    private static final Answer LARGE = Answer.of(Map.of("status", "a".repeat(25_000)));

    /** More than the server has threads, if it takes one request at a time. */
    private static final int MORE_THAN_THREADS = 120;

    /** Together, these answers are larger than all buffers between the server and a client. */
    private static final int MANY_LARGE = 1_000;

    private static final String LIMIT = "a limit of the test";

    private final AtomicLong probes = new AtomicLong();
    private final List<Deaf> clients = new ArrayList<>();
    private HttpServer server;

    /** A client that sends what the server takes at once, and reads nothing. */
    private static final class Deaf implements AutoCloseable {
        private final SocketChannel channel;

        Deaf(int port, String requests) throws IOException {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            channel.connect(new InetSocketAddress("127.0.0.1", port));
            channel.configureBlocking(false);
            channel.write(ByteBuffer.wrap(requests.getBytes(StandardCharsets.US_ASCII)));
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
            clients.add(new Deaf(port, requests));
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
    void whoTakesNoAnswersOfProbesMakesRoomForOthers() throws IOException {
        int port = start("5m", 3);
        connect(port, 3, PROBE.repeat(MANY_LARGE));
        AtomicLong seen = new AtomicLong();
        await("no answer is taken any more")
                .during(Duration.ofMillis(500))
                .until(() -> probes.get() > 0 && probes.get() == seen.getAndSet(probes.get()));

        await().until(() -> RawHttp.send(port, CLOSE).status() == 200);
    }
}
