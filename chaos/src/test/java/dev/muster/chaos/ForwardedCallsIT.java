package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls through a gateway to nodes that are frozen, or killed in the middle of them. */
@Isolated("it measures how fast calls go elsewhere")
class ForwardedCallsIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(ForwardedCallsIT.class);

    /** -Dmuster.chaos.call_kills=50 for a longer run. */
    private static final int KILLS = Integer.getInteger("muster.chaos.call_kills", 6);

    /** Within this time a call goes to another node if one stands still. */
    private static final Duration ELSEWHERE = Duration.ofSeconds(2);

    private static final Map<String, String> FUNCTIONS =
            Map.of("app", CountedCalls.class.getName(), "node.roles", "function", "node.advertise", "127.0.0.1:0");

    private final HttpClient http = HttpClient.newHttpClient();
    private Muster gateway;
    private String key;

    /** What a call got, and how long it took. */
    private record Called(int status, String body, Duration took) {
        boolean isUnknown() {
            return body.contains("\"code\":\"outcome_unknown\"");
        }
    }

    @BeforeEach
    void startGateway() {
        CountedCalls.prepare(database);
        gateway = Muster.builder()
                .config(MusterConfig.defaults()
                        .with(Map.of("node.roles", "gateway", "node.id", "gateway", "gateway.port", "0")))
                .database(database.url())
                .build();
        gateway.start();
        key = gateway.apiKeys().create(KeyRequest.of("test", Scope.WRITE)).key();
    }

    @AfterEach
    void closeGateway() {
        gateway.close();
    }

    private Called call(String function, String args) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway.ports().get(0) + "/_api/rpc/" + function))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(args))
                .build();
        long began = System.nanoTime();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            return new Called(response.statusCode(), response.body(), Duration.ofNanos(System.nanoTime() - began));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Called write(String id, int millis) {
        return call("write", "{\"id\":\"" + id + "\",\"millis\":" + millis + "}");
    }

    private void awaitEntered(String id) {
        await("entry of " + id)
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> count("call_entries", id) == 1);
    }

    private long count(String table, String id) {
        return database.number("SELECT count(*) FROM " + table + " WHERE id = '" + id + "'");
    }

    /** Calls until both nodes have answered, so that the gateway has connections to both. */
    private void awaitBothServe() {
        List<String> seen = new ArrayList<>();
        await("both nodes").atMost(SOON).until(() -> {
            seen.add(call("where", "null").body());
            return seen.stream().anyMatch(body -> body.contains("\"data\":\"a\""))
                    && seen.stream().anyMatch(body -> body.contains("\"data\":\"b\""));
        });
    }

    @Test
    void aFrozenNodeGetsNoCallAndCostsOneSecondAtMost() {
        NodeProcess frozen = launch("a", FUNCTIONS);
        node("b", FUNCTIONS);
        frozen.awaitReady();
        awaitBothServe();

        frozen.stop();
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            calls.add(write("frozen-" + i, 1));
        }
        frozen.cont();

        log.info(
                "the slowest of 40 calls beside a frozen node took {}",
                calls.stream().map(Called::took).max(Duration::compareTo).orElseThrow());
        assertThat(calls).allSatisfy(call -> {
            assertThat(call.status()).as(call.body()).isEqualTo(200);
            assertThat(call.body()).contains("\"data\":\"b\"");
            assertThat(call.took()).isLessThan(ELSEWHERE);
        });
        await("the node that goes on")
                .atMost(SOON)
                .until(() -> call("where", "null").body().contains("\"data\":\"a\""));
        assertThat(database.number("SELECT count(*) FROM call_entries WHERE node = 'a'"))
                .as("calls that the frozen node ran after it went on")
                .isZero();
        assertThat(database.number("SELECT count(*) FROM call_effects")).isEqualTo(40);
    }

    @Test
    void aMutationOnANodeThatFreezesIsNotRunElsewhere() throws Exception {
        NodeProcess frozen = node("a", FUNCTIONS);
        CompletableFuture<Called> call = CompletableFuture.supplyAsync(() -> write("once", 500));
        awaitEntered("once");
        frozen.stop();
        node("b", FUNCTIONS);

        Called answer = call.get(60, TimeUnit.SECONDS);

        assertThat(answer.status()).as(answer.body()).isEqualTo(504);
        assertThat(answer.isUnknown()).isTrue();
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(3 + 2 + 2));
        assertThat(count("call_entries", "once")).isEqualTo(1);
        frozen.cont();
    }

    @Test
    void aQueryOnANodeThatIsKilledRunsOnceMoreElsewhere() throws Exception {
        NodeProcess a = launch("a", FUNCTIONS);
        NodeProcess b = node("b", FUNCTIONS);
        a.awaitReady();
        awaitBothServe();
        CompletableFuture<Called> call =
                CompletableFuture.supplyAsync(() -> call("read", "{\"id\":\"q\",\"millis\":2000}"));
        awaitEntered("q");
        String first =
                database.column("SELECT node FROM call_entries WHERE id = 'q'").get(0);

        (first.equals("a") ? a : b).kill9();

        Called answer = call.get(60, TimeUnit.SECONDS);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"data\":\"" + (first.equals("a") ? "b" : "a") + "\"");
        assertThat(count("call_entries", "q")).isEqualTo(2);
    }

    @Test
    void noMutationRunsTwiceHoweverManyNodesAreKilled() throws Exception {
        NodeKiller killer = new NodeKiller(database, id -> launch(id, FUNCTIONS));
        killer.start(3);
        Map<String, Called> answers = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger numbers = new AtomicInteger();
        ExecutorService callers = Executors.newFixedThreadPool(6);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            while (!over.get()) {
                                String id = "call-" + numbers.incrementAndGet();
                                answers.put(id, write(id, CountedCalls.RUN_MILLIS));
                            }
                        },
                        callers));
            }
            killer.kill(Duration.ZERO, KILLS, Duration.ofMillis(500), node -> {});
            over.set(true);
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        } finally {
            callers.shutdownNow();
        }

        List<String> served = idsWith(answers, call -> call.status() == 200);
        List<String> unknown = idsWith(answers, Called::isUnknown);
        List<String> refused = idsWith(answers, call -> call.status() == 503);
        log.info(
                "{} kills: {} calls served, {} with an unknown outcome, {} refused",
                KILLS,
                served.size(),
                unknown.size(),
                refused.size());
        assertThat(served.size() + unknown.size() + refused.size())
                .as("other answers: %s", idsWith(answers, call -> call.status() >= 400))
                .isEqualTo(answers.size());
        assertThat(unknown).as("the kills hit calls").isNotEmpty();
        assertThat(database.column("SELECT id FROM call_entries GROUP BY id HAVING count(*) > 1"))
                .as("calls that were entered twice")
                .isEmpty();
        assertThat(database.column("SELECT id FROM call_effects GROUP BY id HAVING count(*) > 1"))
                .as("calls with two effects")
                .isEmpty();
        assertThat(database.column("SELECT id FROM call_effects")).containsAll(served);
        List<String> entered = database.column("SELECT id FROM call_entries");
        assertThat(refused).as("calls that were refused").noneMatch(entered::contains);
    }

    private static List<String> idsWith(Map<String, Called> answers, Predicate<Called> condition) {
        return answers.entrySet().stream()
                .filter(answer -> condition.test(answer.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
