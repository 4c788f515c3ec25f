package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.testing.KeptHttp;
import dev.muster.testing.KeptHttp.Answer;
import dev.muster.testing.LongTest;
import dev.muster.testing.Periods;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three gateways are stopped and started again, one after the other, under clients that keep their connections and know nothing of readiness:
 * every request is answered, or refused with 503 and then sent to another gateway.
 */
@LongTest(
        twin = DrainIT.class,
        test = "underLoadNothingIsLostOrRunTwice",
        why =
                "for requests what that one shows for jobs, with processes and for five minutes; in one JVM the gateway's StoppingGatewayIT"
                        + " shows the same")
class RestartedGatewaysIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(RestartedGatewaysIT.class);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int GATEWAYS = 3;
    private static final int CLIENTS = 12;
    private static final int PER_SECOND = 50;
    private static final Duration BETWEEN_REQUESTS = Duration.ofSeconds(CLIENTS).dividedBy(PER_SECOND);
    private static final Map<String, String> SETTINGS =
            Map.of("app", CountedCalls.class.getName(), "gateway.port", "0");

    private final Map<Integer, Integer> ports = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<String> acknowledged = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final List<String> cut = new CopyOnWriteArrayList<>();
    private final List<String> others = new CopyOnWriteArrayList<>();
    private volatile boolean over;

    @Test
    void cutNoRequestAndExecuteNoneTwice() throws Exception {
        CountedCalls.prepare(database);
        String key = client.apiKeys().create(KeyRequest.of("test", Scope.WRITE)).key();
        List<NodeProcess> gateways = new ArrayList<>();
        for (int i = 0; i < GATEWAYS; i++) {
            gateways.add(start(i));
        }
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Thread(new Client(i, key)::sendUntilOver, "client-" + i));
        }
        clients.forEach(Thread::start);
        int stops = 0;
        try {
            long end = System.nanoTime() + LONG.toNanos();
            while (System.nanoTime() - end < 0) {
                int which = stops++ % GATEWAYS;
                int enough = acknowledged.size() + PER_SECOND;
                await("requests").atMost(SOON).until(() -> acknowledged.size() > enough);
                gateways.get(which).terminate();
                gateways.get(which).exitCode(SOON);
                gateways.set(which, start(which));
            }
        } finally {
            over = true;
            for (Thread each : clients) {
                each.join();
            }
        }
        log.info("{} stops: acknowledged={} refused={} cut={}", stops, acknowledged.size(), refused.get(), cut.size());

        assertThat(cut).as("without a whole answer").isEmpty();
        assertThat(others).isEmpty();
        assertThat(database.column("SELECT id FROM call_effects")).containsExactlyInAnyOrderElementsOf(acknowledged);
        assertThat(database.number("SELECT count(*) FROM call_entries")).isEqualTo(acknowledged.size());
    }

    private NodeProcess start(int which) {
        NodeProcess gateway = launch("gateway-" + which, SETTINGS).awaitReady();
        String answer = gateway.ask("port", line -> line.startsWith("PORT "), SOON);
        ports.put(which, Integer.parseInt(answer.substring("PORT ".length())));
        return gateway;
    }

    /** Sends one request after the other, to one gateway after the other. */
    private final class Client {
        private final String key;
        private final Map<Integer, KeptHttp> connections = new HashMap<>();
        private int turn;

        Client(int number, String key) {
            this.turn = number;
            this.key = key;
        }

        void sendUntilOver() {
            long due = System.nanoTime();
            while (!over) {
                String id = "call-" + numbers.incrementAndGet();
                boolean done = false;
                while (!done) {
                    done = send(turn++ % GATEWAYS, id);
                }
                // On a slow machine it sends less than it should, and catches nothing up.
                due = Math.max(due + BETWEEN_REQUESTS.toNanos(), System.nanoTime());
                Periods.work(Duration.ofNanos(due - System.nanoTime()));
            }
            connections.values().forEach(Client::close);
        }

        /** Returns whether the request needs no other gateway. */
        private boolean send(int gateway, String id) {
            try {
                KeptHttp connection = connections.get(gateway);
                if (connection == null) {
                    connection = KeptHttp.to(ports.get(gateway));
                    connections.put(gateway, connection);
                }
                Answer answer = connection.post("/_api/rpc/write", key, "{\"id\":\"" + id + "\",\"millis\":1}");
                if (answer.closes()) {
                    close(connections.remove(gateway));
                }
                return count(id, answer);
            } catch (ConnectException e) {
                // Nobody listens there at the moment, so nothing was sent.
                return over;
            } catch (IOException e) {
                close(connections.remove(gateway));
                cut.add(id + ": " + e);
                return true;
            }
        }

        private boolean count(String id, Answer answer) {
            if (answer.status() == 200) {
                acknowledged.add(id);
            } else if (answer.status() == 503) {
                refused.incrementAndGet();
                return false;
            } else {
                others.add(answer.status() + " " + answer.body());
            }
            return true;
        }

        private static void close(KeptHttp connection) {
            try {
                connection.close();
            } catch (IOException e) {
                log.debug("a connection could not be closed", e);
            }
        }
    }
}
