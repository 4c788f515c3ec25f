package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls through a gateway to nodes that are frozen, or killed in the middle of them. */
class ForwardedCallsIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(ForwardedCallsIT.class);

    private static final int KILLS = Sizes.of(2, 50);

    /** A node is killed long before such a call would end. */
    private static final int LONG_CALL_MILLIS = 30_000;

    /** Of this many calls at least one reaches each node that is up. */
    private static final int MOST_CALLS = 1_000;

    /** Within this time a call goes to another node if one stands still. */
    private static final Duration ELSEWHERE = Duration.ofSeconds(2);

    private static final Map<String, String> FUNCTIONS =
            Map.of("app", CountedCalls.class.getName(), "node.roles", "function", "node.advertise", "127.0.0.1:0");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, Called> answers = new ConcurrentHashMap<>();
    private final ExecutorService callers = Executors.newCachedThreadPool();
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
        callers.shutdownNow();
        gateway.close();
    }

    private Called call(String function, String args) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway.ports().get(0) + "/_api/rpc/" + function))
                .timeout(Duration.ofSeconds(120))
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

    private long count(String table, String id) {
        return database.number("SELECT count(*) FROM " + table + " WHERE id = '" + id + "'");
    }

    /** Calls until this node has answered, so that the gateway has a connection to it. */
    private void awaitServes(String node) {
        await("calls of " + node)
                .atMost(SOON)
                .until(() -> call("where", "null").body().contains("\"data\":\"" + node + "\""));
    }

    /** On a busy machine a healthy node may be too slow, too: then the call has run nowhere, and is sent again. */
    private Called served(String id) {
        return await(id).atMost(SOON).until(() -> write(id, 1), call -> call.status() != 503);
    }

    @LongTest(
            twin = ForwardedCallsIT.class,
            test = "aMutationOnANodeThatFreezesIsNotRunElsewhere",
            why = "many calls beside the frozen node, and how long each of them waits")
    @Test
    void aFrozenNodeGetsNoCallAndCostsOneSecondAtMost() {
        NodeProcess frozen = node("a", FUNCTIONS);
        startHere("b", FUNCTIONS);
        awaitServes("a");
        awaitServes("b");

        frozen.stop();
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            calls.add(served("frozen-" + i));
        }
        frozen.cont();

        Measured.within(
                ELSEWHERE,
                calls.stream().map(Called::took).max(Duration::compareTo).orElseThrow(),
                "the slowest call beside a frozen node");
        assertThat(calls).allSatisfy(call -> {
            assertThat(call.status()).as(call.body()).isEqualTo(200);
            assertThat(call.body()).contains("\"data\":\"b\"");
        });
        await("the node that continues")
                .atMost(SOON)
                .until(() -> call("where", "null").body().contains("\"data\":\"a\""));
        assertThat(database.number("SELECT count(*) FROM call_entries WHERE node = 'a'"))
                .as("calls that the frozen node ran after it continued")
                .isZero();
        assertThat(database.number("SELECT count(*) FROM call_effects")).isEqualTo(40);
    }

    @Test
    void aMutationOnANodeThatFreezesIsNotRunElsewhere() {
        NodeProcess frozen = node("a", FUNCTIONS);
        awaitServes("a");
        String id = callOn("a", "write_soon");
        frozen.stop();
        startHere("b", FUNCTIONS);

        Called answer = answerOf(id);

        assertThat(answer.status()).as(answer.body()).isEqualTo(504);
        assertThat(answer.isUnknown()).isTrue();
        Measured.within(Duration.ofSeconds(15 + 2 + 2), answer.took(), "a call to a node that freezes");
        assertThat(count("call_entries", id)).isEqualTo(1);
        frozen.cont();
    }

    @LongTest(
            twin = ForwardedCallsIT.class,
            test = "noMutationRunsTwiceHoweverManyNodesAreKilled",
            why = "what may be repeated is, and not only is nothing else")
    @Test
    void aQueryOnANodeThatIsKilledRunsOnceMoreElsewhere() {
        NodeProcess a = node("a", FUNCTIONS);
        startHere(CountedCalls.SURVIVOR, FUNCTIONS);
        awaitServes("a");
        awaitServes(CountedCalls.SURVIVOR);
        String id = callOn("a", "read");

        a.kill9();

        Called answer = answerOf(id);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"data\":\"survivor\"");
        assertThat(count("call_entries", id)).isEqualTo(2);
    }

    @Test
    void noMutationRunsTwiceHoweverManyNodesAreKilled() throws Exception {
        NodeKiller killer = new NodeKiller(database, getClass(), id -> launch(id, FUNCTIONS));
        startHere(CountedCalls.SURVIVOR, FUNCTIONS);
        killer.start(1);
        List<String> hits = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger numbers = new AtomicInteger();
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            while (!over.get()) {
                                String id = "call-" + numbers.incrementAndGet();
                                answers.put(id, write(id, CountedCalls.RUN_MILLIS));
                            }
                        },
                        callers));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                String victim = "n" + kill;
                awaitServes(victim);
                String hit = callOn(victim, "hold");
                hits.add(hit);
                killer.killOne(node -> assertThat(node).isEqualTo(victim), kill + 1 < KILLS);
                answerOf(hit);
            }
            over.set(true);
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
        } finally {
            over.set(true);
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
        assertThat(unknown).as("the calls that were hit").containsAll(hits);
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

    /** Calls this function until a long call runs on this node; returns its id. */
    private String callOn(String node, String function) {
        for (int i = 0; i < MOST_CALLS; i++) {
            String id = "hit-" + node + "-" + i;
            CompletableFuture<Void> call = CompletableFuture.runAsync(
                    () -> answers.put(
                            id, call(function, "{\"id\":\"" + id + "\",\"millis\":" + LONG_CALL_MILLIS + "}")),
                    callers);
            await("entry of " + id).atMost(SOON).until(() -> call.isDone() || count("call_entries", id) == 1);
            if (database.column("SELECT node FROM call_entries WHERE id = '" + id + "'")
                    .contains(node)) {
                return id;
            }
        }
        throw new AssertionError("of " + MOST_CALLS + " calls none came to " + node);
    }

    private Called answerOf(String id) {
        await("an answer for " + id).atMost(SOON).until(() -> answers.containsKey(id));
        return answers.get(id);
    }

    private static List<String> idsWith(Map<String, Called> answers, Predicate<Called> condition) {
        return answers.entrySet().stream()
                .filter(answer -> condition.test(answer.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
