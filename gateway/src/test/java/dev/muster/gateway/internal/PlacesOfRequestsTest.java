package dev.muster.gateway.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.auth.Authentication;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Handler;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.runtime.ConnectionTurn;
import dev.muster.internal.runtime.LargeReads;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** However a request ends, its caller has all places and turns again. */
class PlacesOfRequestsTest {
    private static final int PLACES = 8;
    private static final int TURNS = 4;
    private static final int OF_ONE_CALLER = 6;
    private static final String ADA = "key:ada";
    private static final BiConsumer<Answer, Caller> SENT = (answer, caller) -> {};
    private static final Handler ANSWERS = call -> Answer.of(Map.of());

    private final MusterConfig config = MusterConfig.defaults();
    private final RequestCapacity places =
            RequestCapacity.ofRequests(PLACES, () -> NodeStatus.ACTIVE, System::nanoTime);
    private final Turns turns = new Turns(TURNS, Duration.ofMinutes(5));
    private final CallerLimits limits = new CallerLimits(Optional.of(1000), System::nanoTime);
    private Authentication authentication = (header, address) -> caller(ADA, Scope.READ);

    private static Caller caller(String id, Scope scope) {
        return Caller.builder(id, id, scope).build();
    }

    private Pipeline pipeline(Turns with) {
        return new Pipeline(
                () -> null,
                config.gateway(),
                new Pipeline.Capacities(
                        places, RequestCapacity.ofFiles(1, () -> NodeStatus.ACTIVE, System::nanoTime), with),
                (header, address) -> authentication.authenticate(header, address),
                limits,
                (route, call, handler) -> handler.get(),
                new ReplicaLag(false, () -> null, System::nanoTime));
    }

    private static Route get(Handler handler) {
        return Route.get("/_api/test", "Test.").to(handler);
    }

    private static Request request(InputStream body) {
        return new Request("", Map.of(), Map::of, name -> "application/json", null, "127.0.0.1", -1, () -> body);
    }

    private void send(Route route, Request request, BiConsumer<Answer, Caller> sender) {
        pipeline(turns).handle(route, request, "1", sender);
    }

    private void send(Handler handler) {
        send(get(handler), request(InputStream.nullInputStream()), SENT);
    }

    private void fails(int status, Runnable sending) {
        assertThatThrownBy(sending::run)
                .isInstanceOf(Refusal.class)
                .extracting(refusal -> ((Refusal) refusal).status())
                .isEqualTo(status);
        nothingIsTaken();
    }

    private void nothingIsTaken() {
        assertThat(places.active()).isZero();
        assertThat(turns.running()).isZero();
        assertThat(turns.waiting()).isZero();
        for (int i = 0; i < OF_ONE_CALLER; i++) {
            places.enter();
            places.share(ADA);
        }
        for (int i = 0; i < OF_ONE_CALLER; i++) {
            places.leave(ADA);
            places.leave();
        }
        turns.begin(ADA);
        turns.begin(ADA);
        turns.begin(ADA);
        turns.end(ADA);
        turns.end(ADA);
        turns.end(ADA);
    }

    @Test
    void anAnswerIsSent() {
        send(ANSWERS);

        nothingIsTaken();
    }

    @Test
    void anAnswerIsSentWhenTheTurnIsOver() {
        send(get(ANSWERS), request(InputStream.nullInputStream()), (answer, caller) -> {
            assertThat(places.active()).isEqualTo(1);
            assertThat(turns.running()).isZero();
        });

        nothingIsTaken();
    }

    @Test
    void aFunctionTakesNoTurn() {
        Route function = Route.get("/_api/test", "Test.").runsFunction().to(call -> {
            assertThat(turns.running()).isZero();
            return Answer.nothing();
        });
        send(function, request(InputStream.nullInputStream()), SENT);

        nothingIsTaken();
    }

    private static Route function(Handler handler) {
        return Route.get("/_api/test", "Test.")
                .mayTake(Schema.any())
                .runsFunction()
                .to(handler);
    }

    private static Request body(int bytes) {
        return request(new ByteArrayInputStream(("\"" + "a".repeat(bytes - 2) + "\"").getBytes(UTF_8)));
    }

    /** On a thread of its own. */
    private CompletableFuture<Boolean> later(Route route, Request request) {
        return GatewayNode.later(() -> send(route, request, SENT));
    }

    @Test
    void aLargeBodyOfAFunctionIsReadInATurn() {
        for (int i = 0; i < TURNS; i++) {
            turns.begin("other " + i);
        }
        send(function(call -> Answer.nothing()), body(1_000), SENT);
        CompletableFuture<Boolean> large = later(function(call -> Answer.nothing()), body(100_000));
        await().until(() -> turns.waiting() == 1);
        assertThat(large).isNotDone();

        for (int i = 0; i < TURNS; i++) {
            turns.end("other " + i);
        }
        await().until(large::isDone);
        assertThat(large).isCompleted();
        nothingIsTaken();
    }

    @Test
    void functionsThatRunKeepNobodyFromReadingALargeBody() {
        Pipeline pipeline = pipeline(turns);
        int largest = (int) config.gateway().maxBody();
        AtomicInteger callers = new AtomicInteger();
        authentication = (header, address) -> caller("key:" + callers.getAndIncrement(), Scope.READ);
        Handler inner = ANSWERS;
        for (int i = 1; i < PLACES; i++) {
            Route next = function(inner);
            inner = call -> {
                assertThat(turns.running()).isZero();
                assertThat(call.body()).hasSize(largest);
                pipeline.handle(next, body(largest), "1", SENT);
                return Answer.nothing();
            };
        }
        // Each of them waits for the next one, and together they are more than the heap has room for.
        pipeline.handle(function(inner), body(largest), "1", SENT);

        assertThat(callers).hasValue(PLACES);
        nothingIsTaken();
    }

    @Test
    void aFunctionTakesATurnWithItsConnection() {
        Route connects = function(call -> {
            ConnectionTurn turn = ConnectionTurn.current();
            turn.begin();
            turn.begin();
            assertThat(turns.running()).as("two functions of one request").isEqualTo(1);
            turn.end();
            assertThat(turns.running()).isEqualTo(1);
            turn.end();
            assertThat(turns.running()).isZero();
            return Answer.nothing();
        });
        send(connects, body(10), SENT);

        assertThat(ConnectionTurn.current()).isNull();
        nothingIsTaken();
    }

    @Test
    void functionsWithConnectionsOfOneCallerLeaveTurnsToOthers() {
        CountDownLatch release = new CountDownLatch(1);
        Route connects = function(call -> {
            ConnectionTurn turn = ConnectionTurn.current();
            turn.begin();
            await().until(() -> release.getCount() == 0);
            turn.end();
            return Answer.nothing();
        });
        List<CompletableFuture<Boolean>> greedy = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            greedy.add(later(connects, body(10)));
        }
        await().until(() -> turns.running() == TURNS - 1 && turns.waiting() == 1);
        authentication = (header, address) -> caller("key:bob", Scope.READ);

        send(ANSWERS);
        release.countDown();

        await().until(() -> greedy.stream().allMatch(CompletableFuture::isDone));
        assertThat(greedy).allMatch(one -> !one.isCompletedExceptionally());
        nothingIsTaken();
    }

    @Test
    void aFunctionThatHasReadMuchWaitsForNoTurn() {
        for (int i = 0; i < TURNS; i++) {
            turns.begin("other " + i);
        }
        Route reads = function(call -> {
            LargeReads.count(2 << 20);
            ConnectionTurn.current().begin();
            return Answer.nothing();
        });
        assertThatThrownBy(() -> send(reads, body(10), SENT))
                .isInstanceOf(Refusal.class)
                .extracting(refusal -> ((Refusal) refusal).status())
                .isEqualTo(503);
        for (int i = 0; i < TURNS; i++) {
            turns.end("other " + i);
        }
        nothingIsTaken();
    }

    @Test
    void theRequestIsRefusedOrFails() {
        fails(
                404,
                () -> send(call -> {
                    throw Refusal.notFound("there is none");
                }));
        fails(
                500,
                () -> send(call -> {
                    throw new IllegalStateException("a test");
                }));
        fails(
                500,
                () -> send(call -> {
                    throw new StackOverflowError("a test");
                }));
        Request query = new Request(
                "",
                Map.of(),
                () -> Map.of("unknown", List.of("1")),
                name -> null,
                null,
                "127.0.0.1",
                -1,
                InputStream::nullInputStream);
        fails(400, () -> send(get(ANSWERS), query, SENT));
    }

    @Test
    void theAnswerCannotBeSent() {
        fails(
                500,
                () -> send(get(ANSWERS), request(InputStream.nullInputStream()), (answer, caller) -> {
                    throw new IllegalStateException("the client has gone");
                }));
    }

    @Test
    void theBodyDoesNotCome() {
        Route post = Route.post("/_api/test", "Test.")
                .scope(Scope.READ)
                .mayOnlyRead()
                .takes(Schema.any())
                .to(ANSWERS);
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the client has gone");
            }
        };
        fails(400, () -> send(post, request(broken), SENT));
        fails(400, () -> send(post, request(new ByteArrayInputStream(new byte[] {'{'})), SENT));
    }

    @Test
    void theCallerIsNobodyOrMayNot() {
        authentication = (header, address) -> {
            throw Authentication.unauthorized("a test");
        };
        fails(401, () -> send(ANSWERS));
        authentication = (header, address) -> caller(ADA, Scope.READ);
        Route write = Route.post("/_api/test", "Test.").to(ANSWERS);
        fails(403, () -> send(write, request(InputStream.nullInputStream()), SENT));
    }

    @Test
    void theCallerHasSentTooMany() {
        for (int i = 0; i < 1000; i++) {
            limits.take(caller(ADA, Scope.READ));
        }
        fails(429, () -> send(ANSWERS));
    }

    @Test
    void theCallerHasAllPlacesThatItGets() {
        for (int i = 0; i < OF_ONE_CALLER; i++) {
            places.enter();
            places.share(ADA);
        }
        assertThatThrownBy(() -> send(ANSWERS))
                .isInstanceOf(Refusal.class)
                .hasMessage("this node handles 6 requests of yours already, and its last 2 places are for others;"
                        + " gateway.max_requests is 8");
        assertThat(places.active()).isEqualTo(OF_ONE_CALLER);
        authentication = (header, address) -> caller("key:bob", Scope.READ);
        send(ANSWERS);
        for (int i = 0; i < OF_ONE_CALLER; i++) {
            places.leave(ADA);
            places.leave();
        }
        nothingIsTaken();
    }

    @Test
    void allKeysOfATenantAreOneCaller() {
        for (int i = 0; i < OF_ONE_CALLER; i++) {
            places.enter();
            places.share("tenant t");
        }
        authentication = (header, address) -> Caller.builder("key:other", "other", Scope.READ)
                .tenant(Optional.of("t"))
                .build();
        Route confined = Route.get("/_api/test", "Test.").tenantsConfined().to(ANSWERS);
        assertThatThrownBy(() -> send(confined, request(InputStream.nullInputStream()), SENT))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("this node handles 6 requests of yours already");
    }

    @Test
    void theTurnDoesNotComeInTime() {
        Turns impatient = new Turns(1, Duration.ofMillis(1));
        impatient.begin("others");
        Pipeline pipeline = pipeline(impatient);
        fails(503, () -> pipeline.handle(get(ANSWERS), request(InputStream.nullInputStream()), "1", SENT));
        assertThat(impatient.waiting()).isZero();
        assertThat(impatient.running()).isEqualTo(1);
    }

    @Test
    void aBodyIsReadWhenTheTurnHasCome() {
        for (int i = 0; i < TURNS; i++) {
            turns.begin("other " + i);
        }
        Route post = Route.post("/_api/test", "Test.")
                .scope(Scope.READ)
                .mayOnlyRead()
                .takes(Schema.any())
                .to(ANSWERS);
        CompletableFuture<Refusal> refused = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        send(post, request(new ByteArrayInputStream(new byte[] {'{'})), SENT);
                    } catch (Refusal refusal) {
                        refused.complete(refusal);
                    }
                })
                .start();
        await().until(() -> turns.waiting() == 1);
        assertThat(refused).isNotDone();
        for (int i = 0; i < TURNS; i++) {
            turns.end("other " + i);
        }
        assertThat(refused.join().status()).isEqualTo(400);
    }

    @Test
    void theServerStopsWhileARequestWaitsForItsTurn() throws InterruptedException {
        for (int i = 0; i < TURNS; i++) {
            turns.begin("other " + i);
        }
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                send(ANSWERS);
            } catch (RuntimeException e) {
                refused.complete(e);
            }
        });
        waiting.start();
        await().until(() -> turns.waiting() == 1);
        waiting.interrupt();
        assertThat(refused.join()).hasMessage("this node is stopping");
        waiting.join();
        for (int i = 0; i < TURNS; i++) {
            turns.end("other " + i);
        }
        nothingIsTaken();
    }

    @Test
    void manyAtATime() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(PLACES);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger requests = new AtomicInteger();
        authentication = (header, address) -> caller("key:" + requests.getAndIncrement() / 900, Scope.READ);
        for (int i = 0; i < PLACES; i++) {
            int number = i;
            new Thread(() -> {
                        for (int n = 0; n < 2_000; n++) {
                            try {
                                send(call -> {
                                    most.accumulateAndGet(turns.running(), Math::max);
                                    if (number % 2 == 0) {
                                        throw new IllegalStateException("a test");
                                    }
                                    return Answer.nothing();
                                });
                            } catch (Refusal refusal) {
                                // The caller has all places that it gets, or it is the failure.
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();

        assertThat(most.get()).isBetween(1, TURNS);
        nothingIsTaken();
    }
}
