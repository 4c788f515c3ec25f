package dev.muster.internal.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.function.CallLimit;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionContext;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import dev.muster.function.FunctionLimit;
import dev.muster.function.FunctionResult;
import dev.muster.function.Functions;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.process.PlainJson;
import dev.muster.internal.ratelimit.BackendRateLimits;
import dev.muster.internal.runtime.ConnectionTurn;
import dev.muster.job.RawJson;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.NamePatterns;
import dev.muster.runtime.ObserverRefusal;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What calls go through, with functions that need no database. */
class FunctionsTest {
    private final Shop shop = new Shop();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    static final class Shop {
        final AtomicInteger calls = new AtomicInteger();

        @Nullable
        FunctionContext seen;

        @Query
        Object order(QueryContext ctx, Map<String, Object> args) {
            calls.incrementAndGet();
            seen = ctx;
            return "order " + args.get("id");
        }

        @Query
        String stock() {
            return "full";
        }

        @Query(name = "raw")
        RawJson echo(RawJson args) {
            return args;
        }

        @Mutation(roles = {"seller", "buyer"})
        void placeOrder(MutationContext ctx) {
            calls.incrementAndGet();
        }

        @Query(rateLimit = @FunctionLimit(permits = 2, per = "1h"))
        String limited() {
            calls.incrementAndGet();
            return "once more";
        }

        @Query(timeout = "20ms")
        String slow() throws InterruptedException {
            calls.incrementAndGet();
            new CountDownLatch(1).await();
            return "never";
        }

        /** Does not react, and returns in the end. */
        @Query(timeout = "1ms")
        boolean stubborn(QueryContext ctx) {
            while (!ctx.isCancelled()) {
                Thread.onSpinWait();
            }
            return true;
        }

        @Query
        void refuses() {
            throw new FunctionError("sold_out", "article 7 is sold out", Map.of("article", "7"));
        }

        @Query
        void breaks() {
            throw new IllegalStateException("the password is swordfish");
        }

        @Query
        void runsOutOfStack() {
            runsOutOfStack();
        }

        @Query
        Object unwritable() {
            return new Object();
        }

        @Query
        void reads(QueryContext ctx) throws SQLException {
            ctx.connection();
        }
    }

    private static Handlers scan(Object object) {
        return HandlerScanner.scan(object);
    }

    private static List<FunctionHandler> handlers(Object... objects) {
        List<FunctionHandler> all = new ArrayList<>();
        for (Object object : objects) {
            all.addAll(scan(object).of(FunctionMethods.QUERIES));
            all.addAll(scan(object).of(FunctionMethods.MUTATIONS));
        }
        return all;
    }

    /** Like Muster's own codecs, it refuses what does not fit its type. */
    private static final class StrictJson implements JsonCodec {
        private final PlainJson plain = new PlainJson();

        @Override
        public String write(@Nullable Object value) {
            if (value != null && value.getClass() == Object.class) {
                throw new JsonException("an Object cannot be written", null);
            }
            return plain.write(value);
        }

        @Override
        public @Nullable Object read(String json, Type type) {
            return plain.read(json, type instanceof ParameterizedType generic ? generic.getRawType() : type);
        }

        @Override
        public void check(String json, Type type) {
            read(json, type);
        }
    }

    /** No function of this test may reach a database. */
    private static final HandlerTransactions NO_DATABASE = (isolation, readOnly, longest) -> {
        throw new SQLException("connection refused", "08001");
    };

    private Functions functions(boolean serves, boolean observes, RateLimits limits, Object... objects) {
        FunctionRunner runner = new FunctionRunner(
                NO_DATABASE,
                (connection, afterCommit) -> {
                    throw new AssertionError("nothing is enqueued here");
                },
                new StrictJson(),
                new CallWatch(Clock.system()));
        return new ServedFunctions(
                handlers(objects),
                new ServedFunctions.Node("node-1", serves, observes),
                limits,
                new StrictJson(),
                runner);
    }

    private Functions functions() {
        return functions(true, false, BackendRateLimits.inMemory(Clock.system()), shop);
    }

    private static Caller caller(Scope scope, String... roles) {
        return Caller.builder("key:1", "ada", scope)
                .auth(Auth.KEY)
                .roles(Set.of(roles))
                .tenant(Optional.of("acme"))
                .address(Optional.of("192.0.2.7"))
                .build();
    }

    /** A caller without a tenant. */
    private static Caller staff(Scope scope, String... roles) {
        return caller(scope, roles).toBuilder().tenant(Optional.empty()).build();
    }

    private static FunctionCall call(String name, @Nullable String args, Caller caller) {
        return new FunctionCall(name, args, caller, "req-1");
    }

    private FunctionException refused(FunctionCall call) {
        FunctionException refusal =
                catchThrowableOfType(FunctionException.class, () -> functions().call(call));
        assertThat(refusal).isNotNull();
        return refusal;
    }

    @Test
    void aCallReturnsTheResultAsJson() {
        FunctionResult result = functions().call(call("order", "{\"id\":\"42\"}", caller(Scope.READ)));

        assertThat(result.json()).isEqualTo("\"order 42\"");
        assertThat(result.permit()).isEmpty();
        assertThat(shop.seen.caller().id()).isEqualTo("key:1");
        assertThat(shop.seen.requestId()).isEqualTo("req-1");
    }

    @Test
    void listSaysWhatThereIs() {
        assertThat(functions().list())
                .extracting(FunctionInfo::name)
                .containsExactly(
                        "breaks",
                        "limited",
                        "order",
                        "place_order",
                        "raw",
                        "reads",
                        "refuses",
                        "runs_out_of_stack",
                        "slow",
                        "stock",
                        "stubborn",
                        "unwritable");
        FunctionInfo placeOrder = functions().list().get(3);
        assertThat(placeOrder)
                .isEqualTo(new FunctionInfo(
                        "place_order",
                        FunctionKind.MUTATION,
                        Set.of("seller", "buyer"),
                        Duration.ofSeconds(30),
                        Optional.empty(),
                        Optional.empty(),
                        void.class));
        assertThat(functions().list().get(1).limit()).contains(new CallLimit(RateLimit.perHour(2), RateKey.Kind.USER));
    }

    @Test
    void anUnknownNameIsAnsweredWithTheNearest() {
        FunctionException refusal = refused(call("ordr", null, caller(Scope.READ)));

        assertThat(refusal)
                .isInstanceOf(FunctionException.UnknownFunction.class)
                .hasMessage("there is no function 'ordr'; did you mean 'order'?");
        assertThat(refusal.code()).isEqualTo("unknown_function");
    }

    @Test
    void aCallerOfSomeNamesLearnsNothingOfOthers() {
        Caller some = Caller.builder("key:1", "ada", Scope.ADMIN)
                .auth(Auth.KEY)
                .names(NamePatterns.of("orde"))
                .build();

        FunctionException there = refused(call("order", null, some));
        FunctionException nowhere = refused(call("ordes", null, some));

        assertThat(there)
                .isInstanceOf(FunctionException.Refused.class)
                .hasMessage("'order' is not among what 'ada' may start: orde");
        assertThat(nowhere).isInstanceOf(FunctionException.Refused.class);
        assertThat(String.valueOf(nowhere.getMessage()).replace("ordes", "order"))
                .isEqualTo(there.getMessage());
        assertThat(refused(call("orde", null, some)))
                .as("no suggestion of a function that the caller may not call")
                .hasMessage("there is no function 'orde'");
    }

    @Test
    void aTenantIsNotToldOfFunctionsThatItMayNotCall() {
        for (Caller tenant : List.of(caller(Scope.READ, "buyer"), caller(Scope.WRITE, "cook"), caller(Scope.WRITE))) {
            FunctionException there = refused(call("place_order", null, tenant));
            FunctionException nowhere = refused(call("place_cider", null, tenant));

            assertThat(there).isInstanceOf(FunctionException.UnknownFunction.class);
            assertThat(nowhere).isInstanceOf(FunctionException.UnknownFunction.class);
            assertThat(there)
                    .hasMessageStartingWith("there is no function 'place_order'")
                    .hasMessageNotContaining("role")
                    .hasMessageNotContaining("scope");
        }
        assertThat(shop.calls).hasValue(0);
    }

    @Test
    void aNodeWithoutTheRoleSaysSo() {
        Functions elsewhere = functions(false, false, BackendRateLimits.inMemory(Clock.system()), shop);

        assertThatThrownBy(() -> elsewhere.call(call("order", null, caller(Scope.READ))))
                .isInstanceOf(FunctionException.NotServed.class)
                .hasMessageNotContaining("node-1")
                .hasMessageContaining("role 'function'");
        assertThat(elsewhere.list()).isNotEmpty();
    }

    @Test
    void aMutationNeedsTheScopeWrite() {
        FunctionException refusal = refused(call("place_order", null, staff(Scope.READ, "buyer")));

        assertThat(refusal).isInstanceOf(FunctionException.Refused.class).hasMessageContaining("needs the scope write");
        assertThat(shop.calls).hasValue(0);
    }

    @Test
    void oneOfTheRolesIsEnoughAndAnAdminNeedsNone() {
        assertThat(refused(call("place_order", null, staff(Scope.WRITE))))
                .isInstanceOf(FunctionException.Refused.class)
                .hasMessage("the mutation 'place_order' needs one of the roles buyer, seller, and 'ada' has no role");
        assertThat(refused(call("place_order", null, staff(Scope.WRITE, "cook"))))
                .hasMessageContaining("has only cook");

        assertThat(functions()
                        .call(call("place_order", null, staff(Scope.WRITE, "buyer", "cook")))
                        .json())
                .isEqualTo("null");
        assertThat(functions()
                        .call(call("place_order", "{}", staff(Scope.ADMIN)))
                        .json())
                .isEqualTo("null");
    }

    @Test
    void aLimitedFunctionTellsWhatIsLeftAndWhenToComeAgain() {
        Functions functions = functions();
        FunctionCall call = call("limited", null, caller(Scope.READ));

        assertThat(functions.call(call).permit().orElseThrow().decision().remaining())
                .isEqualTo(1);
        assertThat(functions.call(call).permit().orElseThrow().limit()).isEqualTo(RateLimit.perHour(2));

        assertThatThrownBy(() -> functions.call(call))
                .isInstanceOfSatisfying(FunctionException.TooManyCalls.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo("rate_limited");
                    assertThat(refusal.decision().allowed()).isFalse();
                    assertThat(refusal.decision().retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
                    assertThat(refusal.limit()).isEqualTo(RateLimit.perHour(2));
                });
        assertThat(shop.calls).hasValue(2);
        Caller other = Caller.builder("key:2", "bob", Scope.READ).auth(Auth.KEY).build();
        assertThat(functions.call(call("limited", null, other)).json()).isEqualTo("\"once more\"");
    }

    @Test
    void whoSharesALimit() {
        Caller ada = caller(Scope.READ);
        Caller program = Caller.program("backup");

        assertThat(ServedFunctions.key("f", RateKey.Kind.USER, ada)).isEqualTo(RateKey.user("function:f", "key:1"));
        assertThat(ServedFunctions.key("f", RateKey.Kind.IP, ada)).isEqualTo(RateKey.ip("function:f", "192.0.2.7"));
        assertThat(ServedFunctions.key("f", RateKey.Kind.TENANT, ada)).isEqualTo(RateKey.tenant("function:f", "acme"));
        assertThat(ServedFunctions.key("f", RateKey.Kind.GLOBAL, ada)).isEqualTo(RateKey.global("function:f"));
        for (RateKey.Kind kind : List.of(RateKey.Kind.USER, RateKey.Kind.IP, RateKey.Kind.TENANT)) {
            assertThat(ServedFunctions.key("f", kind, program)).isEqualTo(RateKey.user("function:f", "program:backup"));
        }
        Caller longOne = Caller.builder("jwt:" + "x".repeat(300), "x", Scope.READ)
                .auth(Auth.TOKEN)
                .build();
        assertThat(ServedFunctions.key("f", RateKey.Kind.USER, longOne).who()).startsWith("sha256:");
    }

    /** name, scope, roles, rate limit, args: a call that is wrong in all respects is told of the first, and so on. */
    @Test
    void theChecksHaveAnOrder() {
        List<String> asked = new ArrayList<>();
        RateLimits none = (key, limit, permits) -> {
            asked.add(key.toString());
            return dev.muster.ratelimit.Decision.refuse(0, Duration.ofSeconds(1));
        };
        class Strict {
            @Mutation(roles = "boss", rateLimit = @FunctionLimit(permits = 1, key = RateKey.Kind.GLOBAL))
            void pay(Map<String, Object> args) {}
        }
        Functions strict = functions(true, false, none, new Strict());

        assertThatThrownBy(() -> strict.call(call("pay", "[", staff(Scope.READ))))
                .hasMessageContaining("scope");
        assertThatThrownBy(() -> strict.call(call("pay", "[", staff(Scope.WRITE))))
                .hasMessageContaining("role");
        assertThat(asked).isEmpty();
        assertThatThrownBy(() -> strict.call(call("pay", "[", staff(Scope.WRITE, "boss"))))
                .isInstanceOf(FunctionException.TooManyCalls.class);
        assertThat(asked).containsExactly("global/function:pay");
    }

    @Test
    void argsHaveToFit() {
        Caller ada = caller(Scope.READ);
        assertThat(refused(call("order", "[1]", ada)))
                .isInstanceOf(FunctionException.InvalidArgs.class)
                .hasMessageContaining("[1]");
        assertThat(refused(call("order", null, ada))).hasMessageContaining("it needs args");
        assertThat(refused(call("order", " ", ada))).hasMessageContaining("it needs args");
        assertThat(refused(call("order", "null", ada))).hasMessageContaining("it needs args");
        assertThat(refused(call("stock", "{\"id\":1}", ada)))
                .isInstanceOf(FunctionException.InvalidArgs.class)
                .hasMessageContaining("takes none");
        assertThat(refused(call("raw", "{", ada))).isInstanceOf(FunctionException.InvalidArgs.class);
        assertThat(shop.calls).hasValue(0);
        for (String nothing : List.of("", "null", " {} ")) {
            assertThat(functions().call(call("stock", nothing, ada)).json()).isEqualTo("\"full\"");
        }
        assertThat(functions().call(call("raw", "[1]", ada)).json()).isEqualTo("[1]");
    }

    @Test
    void aCallThatTakesTooLongIsInterrupted() {
        FunctionException refusal = refused(call("slow", null, caller(Scope.READ)));

        assertThat(refusal).isInstanceOf(FunctionException.Timeout.class).hasMessageContaining("20ms");
        assertThat(refusal.code()).isEqualTo("timeout");
    }

    @Test
    void aHandlerThatReturnsTooLateHasTimedOutToo() {
        assertThat(refused(call("stubborn", null, caller(Scope.READ)))).isInstanceOf(FunctionException.Timeout.class);
    }

    @Test
    void theApplicationsOwnErrorReachesTheCaller() {
        assertThat(refused(call("refuses", null, caller(Scope.READ))))
                .isInstanceOfSatisfying(FunctionError.class, error -> {
                    assertThat(error.code()).isEqualTo("sold_out");
                    assertThat(error).hasMessage("article 7 is sold out");
                    assertThat(error.details()).contains(Map.of("article", "7"));
                });
        assertThat(new FunctionError("no").code()).isEqualTo("failed");
    }

    @Test
    void anyOtherFailureTellsNothing() {
        for (String name : List.of("breaks", "unwritable", "runs_out_of_stack")) {
            FunctionException failure = refused(call(name, null, caller(Scope.READ)));

            assertThat(failure).isInstanceOf(FunctionException.Failed.class).hasMessageNotContaining("swordfish");
            assertThat(failure).hasMessageContaining("req-1").hasCauseInstanceOf(Throwable.class);
            assertThat(failure.code()).isEqualTo("failed");
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsCalledSo() {
        FunctionException failure = refused(call("reads", null, caller(Scope.READ)));

        assertThat(failure).isInstanceOf(FunctionException.Unavailable.class);
        assertThat(failure.code()).isEqualTo("unavailable");
    }

    /** Counts how often a turn begins and ends. */
    private static final class CountedTurn implements ConnectionTurn.Turn {
        private final @Nullable RuntimeException refusal;
        private int begun;
        private int ended;

        CountedTurn(@Nullable RuntimeException refusal) {
            this.refusal = refusal;
        }

        @Override
        public void begin() {
            begun++;
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public void end() {
            ended++;
        }
    }

    @Test
    void aConnectionIsUsedInATurn() {
        CountedTurn turn = new CountedTurn(null);

        ConnectionTurn.during(turn, () -> functions().call(call("order", "{\"id\":\"42\"}", caller(Scope.READ))));
        assertThat(turn.begun).as("nobody asks for a connection").isZero();

        ConnectionTurn.during(turn, () -> refused(call("reads", null, caller(Scope.READ))));
        assertThat(turn.begun).isEqualTo(1);
        assertThat(turn.ended).as("there is no connection").isEqualTo(1);
    }

    @Test
    void aTurnThatDoesNotComeIsNoFaultOfTheFunction() {
        CountedTurn turn = new CountedTurn(new DatabaseUnavailable("busy", null));

        FunctionException failure = ConnectionTurn.during(turn, () -> refused(call("reads", null, caller(Scope.READ))));

        assertThat(failure).isInstanceOf(FunctionException.Unavailable.class);
        assertThat(turn.ended).isZero();
    }

    @Test
    void aLimitThatCannotBeCountedLetsNobodyIn() {
        RateLimits down = (key, limit, permits) -> {
            throw new DatabaseUnavailable("no answer", null);
        };

        assertThatThrownBy(() -> functions(true, false, down, shop).call(call("limited", null, caller(Scope.READ))))
                .isInstanceOf(DatabaseUnavailable.class);
        assertThat(shop.calls).hasValue(0);
    }

    @Test
    void anObserverRunsQueriesOnly() {
        Functions observer = functions(true, true, BackendRateLimits.inMemory(Clock.system()), shop);

        assertThat(observer.call(call("stock", null, caller(Scope.READ))).json())
                .isEqualTo("\"full\"");
        assertThatThrownBy(() -> observer.call(call("place_order", null, caller(Scope.ADMIN))))
                .isInstanceOf(ObserverRefusal.class)
                .hasMessageContaining("run mutations");
        assertThat(shop.calls).hasValue(0);
    }

    @Test
    void twoFunctionsOfOneNameAreRefused() {
        class Other {
            @Mutation(name = "order")
            void anything() {}
        }

        assertThatThrownBy(() -> functions(true, false, BackendRateLimits.inMemory(Clock.system()), shop, new Other()))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("two functions have the name 'order': Shop.order and Other.anything");
    }

    @Test
    void methodsThatCannotBeFunctionsAreRefused() {
        class WrongOrder {
            @Query
            void q(Map<String, Object> args, QueryContext ctx) {}
        }
        class WrongContext {
            @Query
            void q(MutationContext ctx) {}
        }
        class NoTime {
            @Query(timeout = "0s")
            void q() {}
        }
        class NoName {
            @Query(name = "Bad Name")
            void q() {}
        }
        class NoAttempts {
            @Mutation(retryOnConflict = 0)
            void m() {}
        }
        class NoWindow {
            @Query(rateLimit = @FunctionLimit(permits = 1, per = "0s"))
            void q() {}
        }

        assertThatThrownBy(() -> scan(new WrongOrder()))
                .hasMessageContaining("takes a QueryContext, or the call's args");
        assertThatThrownBy(() -> scan(new WrongContext())).hasMessageContaining("takes a QueryContext");
        assertThatThrownBy(() -> scan(new NoTime())).hasMessageContaining("1 ms to 1 day");
        assertThatThrownBy(() -> scan(new NoName())).hasMessageContaining("function name");
        assertThatThrownBy(() -> scan(new NoAttempts())).hasMessageContaining("retryOnConflict is 1");
        assertThatThrownBy(() -> scan(new NoWindow())).hasMessageContaining("window");
    }

    /** An interrupt that others have sent is theirs: the call is not late, and the flag stays. */
    @Test
    void anInterruptOfOthersIsNoTimeout() {
        Thread.currentThread().interrupt();
        FunctionException failure = refused(new FunctionCall("slow", null, caller(Scope.READ), "req-2"));

        assertThat(failure).isInstanceOf(FunctionException.Failed.class);
    }

    @Test
    void manyCallsThatTimeOutLeaveNoFlag() throws InterruptedException {
        Functions functions = functions();
        AtomicInteger leaked = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 50; n++) {
                    try {
                        functions.call(call("stubborn", null, caller(Scope.READ)));
                        leaked.incrementAndGet();
                    } catch (FunctionException.Timeout e) {
                        leaked.addAndGet(Thread.interrupted() ? 1 : 0);
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            TimeUnit.SECONDS.timedJoin(thread, 30);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(leaked).hasValue(0);
    }
}
