package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Scope;
import dev.muster.function.Mutation;
import dev.muster.testing.KeptHttp;
import dev.muster.testing.KeptHttp.Answer;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Gateways stop under clients that keep their connections and know nothing of it: each request is answered, or refused with 503. */
@MusterTest
class StoppingGatewayIT {
    private static final int STOPS = 2;
    private static final int CLIENTS = 24;

    /** How many clients have sent something before, and send again when the gateway is gone. */
    private static final int LATE = 12;

    /** Counts how often each order was executed. */
    static final class Shop {
        final Map<String, Integer> executed = new ConcurrentHashMap<>();

        @Mutation
        String order(String id) {
            executed.merge(id, 1, Integer::sum);
            return "ordered";
        }
    }

    /** What became of the requests. */
    private static final class Fates {
        final AtomicInteger numbers = new AtomicInteger();
        final Set<String> answered = ConcurrentHashMap.newKeySet();
        final AtomicInteger refused = new AtomicInteger();
        final List<String> others = new CopyOnWriteArrayList<>();
        final List<String> cut = new CopyOnWriteArrayList<>();

        /** Returns whether another request can follow on this connection. */
        boolean send(KeptHttp connection, String key) {
            String id = "order-" + numbers.incrementAndGet();
            try {
                Answer answer = connection.post("/_api/rpc/order", key, '"' + id + '"');
                if (answer.status() == 200) {
                    answered.add(id);
                } else if (answer.status() == 503 && answer.body().contains("\"draining\"")) {
                    refused.incrementAndGet();
                } else {
                    others.add(answer.status() + " " + answer.body());
                }
                return answer.status() == 200 && !answer.closes();
            } catch (IOException e) {
                cut.add(id + ": " + e);
                return false;
            }
        }
    }

    @Test
    void cutsNoRequest(Cluster cluster) throws Exception {
        cluster.client().migrate();
        Shop shop = new Shop();
        Fates fates = new Fates();
        for (int stop = 0; stop < STOPS; stop++) {
            GatewayNode gateway = GatewayNode.start(cluster, shop);
            stopUnderLoad(gateway, gateway.key(Scope.WRITE), fates);
        }

        assertThat(fates.cut).as("without a whole answer").isEmpty();
        assertThat(fates.others).isEmpty();
        assertThat(fates.refused.get()).isPositive();
        assertThat(shop.executed.keySet())
                .as("executed if answered, and only then")
                .isEqualTo(fates.answered);
        assertThat(shop.executed.values()).as("how often each").containsOnly(1);
    }

    private static void stopUnderLoad(GatewayNode gateway, String key, Fates fates) throws Exception {
        int port = gateway.port();
        List<KeptHttp> late = new ArrayList<>();
        List<CompletableFuture<Boolean>> clients = new ArrayList<>();
        try {
            for (int i = 0; i < LATE; i++) {
                KeptHttp connection = KeptHttp.to(port);
                late.add(connection);
                assertThat(fates.send(connection, key)).isTrue();
            }
            int before = fates.answered.size();
            for (int i = 0; i < CLIENTS; i++) {
                KeptHttp connection = KeptHttp.to(port);
                clients.add(GatewayNode.later(() -> sendUntilTheLast(connection, key, fates)));
            }
            await().until(() -> fates.answered.size() > before + CLIENTS);

            gateway.node.close();

            late.forEach(connection -> fates.send(connection, key));
            for (CompletableFuture<Boolean> client : clients) {
                GatewayNode.ended(client);
            }
        } finally {
            for (KeptHttp connection : late) {
                connection.close();
            }
        }
    }

    private static void sendUntilTheLast(KeptHttp connection, String key, Fates fates) {
        try (connection) {
            boolean another = true;
            while (another) {
                another = fates.send(connection, key);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
