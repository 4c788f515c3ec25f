package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Three gateways are replaced one after the other while a client that respects readiness sends 200 requests a second. */
@MusterTest
class RollingRestartIT {
    private static final int PER_SECOND = 200;
    private static final int MOST_UNDER_WAY = 50;

    static final class Shop {
        @Query
        String hello() {
            return "hello";
        }
    }

    /** A load balancer: it asks each gateway every 200 ms whether it is ready, and sends to the ready ones in turn. */
    private static final class Balancer implements AutoCloseable {
        final List<Integer> known = new CopyOnWriteArrayList<>();
        final AtomicInteger sent = new AtomicInteger();
        private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
        final List<String> failed = new CopyOnWriteArrayList<>();
        private final List<Integer> ready = new CopyOnWriteArrayList<>();
        private final HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
        private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
        private final String key;

        Balancer(String key) {
            this.key = key;
            threads.scheduleWithFixedDelay(this::look, 0, 200, TimeUnit.MILLISECONDS);
        }

        void load() {
            threads.scheduleAtFixedRate(this::send, 0, 1_000_000 / PER_SECOND, TimeUnit.MICROSECONDS);
        }

        private void look() {
            for (int port : known) {
                boolean is = isReady(port);
                if (is && !ready.contains(port)) {
                    ready.add(port);
                } else if (!is) {
                    ready.remove((Integer) port);
                }
            }
        }

        private boolean isReady(int port) {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/_api/ready"))
                        .timeout(Duration.ofSeconds(2))
                        .build();
                return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
            } catch (Exception e) {
                return false;
            }
        }

        /** On a slow machine it sends less: gateways that cannot keep up refuse or time out, and nobody could tell why. */
        private void send() {
            if (!underWay.tryAcquire()) {
                return;
            }
            int number = sent.incrementAndGet();
            List<Integer> ports = List.copyOf(ready);
            if (ports.isEmpty()) {
                failed.add("no gateway is ready");
                underWay.release();
                return;
            }
            int port = ports.get(number % ports.size());
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/_api/rpc/hello"))
                    .header("Authorization", "Bearer " + key)
                    .timeout(Duration.ofSeconds(20))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            client.sendAsync(request, BodyHandlers.ofString()).whenComplete((answer, failure) -> {
                underWay.release();
                if (failure != null) {
                    failed.add(port + ": " + failure);
                } else if (answer.statusCode() != 200) {
                    failed.add(port + ": " + answer.body());
                }
            });
        }

        boolean seesReady(int port) {
            return ready.contains(port);
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }

    private static GatewayNode gateway(Cluster cluster) {
        return GatewayNode.start(cluster, Map.of("gateway.drain_notice", "3s"), new Shop());
    }

    @Test
    void losesNoRequest(Cluster cluster) {
        cluster.client().migrate();
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("load", Scope.READ))
                .key();
        try (Balancer balancer = new Balancer(key)) {
            List<GatewayNode> gateways = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 3; i++) {
                gateways.add(gateway(cluster));
            }
            gateways.forEach(gateway -> balancer.known.add(gateway.port()));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> gateways.stream().allMatch(gateway -> balancer.seesReady(gateway.port())));
            balancer.load();
            for (GatewayNode old : List.copyOf(gateways)) {
                int atLeast = balancer.sent.get() + 100;
                await().atMost(Duration.ofSeconds(60)).until(() -> balancer.sent.get() > atLeast);
                GatewayNode fresh = gateway(cluster);
                balancer.known.add(fresh.port());
                await().atMost(Duration.ofSeconds(60)).until(() -> balancer.seesReady(fresh.port()));
                int port = old.port();
                old.node.close();
                balancer.known.remove((Integer) port);
            }
            int atLeast = balancer.sent.get() + 200;
            await().atMost(Duration.ofSeconds(60)).until(() -> balancer.sent.get() > atLeast);

            assertThat(balancer.failed).as("of %d", balancer.sent.get()).isEmpty();
            assertThat(balancer.sent.get()).isGreaterThan(1_000);
        }
    }
}
