package dev.muster.gateway.internal;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Three gateways are replaced one after the other while a client that respects readiness sends 200 requests a second. A gateway that was ready
 * serves for as long as its notice says. On a busy machine the client may be later than that: it notices, and blames no gateway for it.
 */
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

    /** How long a gateway that is no longer ready keeps serving. */
    private static final Duration NOTICE = Duration.ofMillis(1_500);

    /** A gateway gets requests for so long after it was asked whether it is ready. */
    private static final Duration FRESH = NOTICE.dividedBy(2);

    /** A load balancer: it asks each gateway every 200 ms whether it is ready, and sends to the ready ones in turn. */
    private static final class Balancer implements AutoCloseable {
        final List<Integer> known = new CopyOnWriteArrayList<>();
        final AtomicInteger sent = new AtomicInteger();
        private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
        final List<String> failed = new CopyOnWriteArrayList<>();
        final AtomicInteger served = new AtomicInteger();

        /** When those that are ready were asked. */
        private final Map<Integer, Long> ready = new ConcurrentHashMap<>();

        private final HttpClient client =
                HttpClient.newBuilder().connectTimeout(GatewayNode.PATIENCE).build();
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
                long asked = System.nanoTime();
                if (isReady(port)) {
                    ready.put(port, asked);
                } else {
                    ready.remove(port);
                }
            }
        }

        private boolean isReady(int port) {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/_api/ready"))
                        .timeout(GatewayNode.PATIENCE)
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
            List<Map.Entry<Integer, Long>> ports = ready.entrySet().stream()
                    .filter(one -> isWithin(FRESH, one.getValue()))
                    .toList();
            if (ports.isEmpty()) {
                underWay.release();
                return;
            }
            int number = sent.incrementAndGet();
            int port = ports.get(number % ports.size()).getKey();
            long asked = ports.get(number % ports.size()).getValue();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/_api/rpc/hello"))
                    .header("Authorization", "Bearer " + key)
                    .timeout(GatewayNode.PATIENCE)
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            client.sendAsync(request, BodyHandlers.ofString()).whenComplete((answer, failure) -> {
                underWay.release();
                if (failure == null && answer.statusCode() == 200) {
                    served.incrementAndGet();
                } else if (isWithin(NOTICE, asked)) {
                    failed.add(port + ": " + (failure == null ? answer.body() : failure));
                }
            });
        }

        private static boolean isWithin(Duration period, long since) {
            return System.nanoTime() - since < period.toNanos();
        }

        boolean seesReady(int port) {
            return ready.containsKey(port);
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }

    private static GatewayNode gateway(Cluster cluster) {
        return GatewayNode.start(cluster, Map.of("gateway.drain_notice", NOTICE.toMillis() + "ms"), new Shop());
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
            await().until(() -> gateways.stream().allMatch(gateway -> balancer.seesReady(gateway.port())));
            balancer.load();
            for (GatewayNode old : List.copyOf(gateways)) {
                int atLeast = balancer.served.get() + 100;
                await().until(() -> balancer.served.get() > atLeast);
                GatewayNode fresh = gateway(cluster);
                balancer.known.add(fresh.port());
                await().until(() -> balancer.seesReady(fresh.port()));
                int port = old.port();
                old.node.close();
                balancer.known.remove((Integer) port);
            }
            int atLeast = balancer.served.get() + 100;
            await().until(() -> balancer.served.get() > atLeast);

            assertThat(balancer.failed).as("of %d", balancer.sent.get()).isEmpty();
        }
    }
}
