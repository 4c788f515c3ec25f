package dev.muster.gateway.internal.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Caller;
import dev.muster.document.internal.InvalidDocument;
import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.Jsonb.Digits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of the JSON-RPC 2.0 specification, and what it leaves open. */
class JsonRpcTest {
    private static final AtomicInteger LARGE_ANSWERS = new AtomicInteger();
    private static final AtomicInteger SLOW_CALLS = new AtomicInteger();
    private static final AtomicLong NANOS = new AtomicLong();

    private static final Map<String, JsonRpc.Method> METHODS = Map.of(
            "subtract", (call, params) -> subtract(params),
            "sum",
                    (call, params) -> ((List<?>) params)
                            .stream().mapToInt(JsonRpcTest::number).sum(),
            "update", (call, params) -> null,
            "notify_hello", (call, params) -> null,
            "large",
                    (call, params) -> {
                        LARGE_ANSWERS.incrementAndGet();
                        return "x".repeat(6 << 20);
                    },
            "slow",
                    (call, params) -> {
                        NANOS.addAndGet(JsonRpc.LONGEST.toNanos() / 2 + 1);
                        return SLOW_CALLS.incrementAndGet();
                    },
            "notify_sum", (call, params) -> null,
            "get_data", (call, params) -> List.of("hello", 5),
            "refused",
                    (call, params) -> {
                        throw Refusal.forbidden("not you");
                    },
            "broken",
                    (call, params) -> {
                        throw new IllegalStateException("a secret of the inside");
                    });

    private static int number(@Nullable Object digits) {
        return Integer.parseInt(((Digits) digits).text());
    }

    private static int subtract(@Nullable Object params) {
        return params instanceof Map<?, ?> named
                ? number(named.get("minuend")) - number(named.get("subtrahend"))
                : number(((List<?>) params).get(0)) - number(((List<?>) params).get(1));
    }

    private static Answer answer(String body) {
        JsonRpc rpc = new JsonRpc(
                METHODS,
                thrown -> thrown instanceof Refusal refusal ? refusal : Refusal.of(500, "internal", "it failed"),
                NANOS::get);
        Object tree = null;
        String problem = null;
        try {
            tree = Json.read(body);
        } catch (InvalidDocument e) {
            problem = e.getMessage();
        }
        return rpc.answer(
                new Call(null, Caller.program("test"), "r", "", Map.of(), Map.of(), body, tree, problem, name -> null),
                6);
    }

    /** Without the data of errors, which the specification leaves to the server. */
    private static String text(Answer answer) {
        return Json.write(answer.document()).replaceAll(",\"data\":(\"[^\"]*\"|\\{[^}]*})", "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1} | {"jsonrpc":"2.0","result":19,"id":1}
            {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2} | {"jsonrpc":"2.0","result":-19,"id":2}
            {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3} | {"jsonrpc":"2.0","result":19,"id":3}
            {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4} | {"jsonrpc":"2.0","result":19,"id":4}
            {"jsonrpc": "2.0", "method": "foobar", "id": "1"} | {"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"1"}
            {"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz] | {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}
            {"jsonrpc": "2.0", "method": 1, "params": "bar"} | {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}
            [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"] | {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}
            [] | {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}
            [1] | [{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}]
            """)
    void theExamplesOfTheSpecification(String request, String response) {
        assertThat(text(answer(request))).isEqualTo(response);
    }

    @Test
    void aBatchOfNonsenseGetsAnErrorForEachPart() {
        String error = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"},\"id\":null}";

        assertThat(text(answer("[1,2,3]"))).isEqualTo("[" + error + "," + error + "," + error + "]");
    }

    @Test
    void aMixedBatch() {
        String batch = """
                [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                 {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                 {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                 {"foo": "boo"},
                 {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                 {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
                """;

        assertThat(text(answer(batch)))
                .isEqualTo(
                        "[{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":\"1\"},{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":\"2\"},"
                                + "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"},\"id\":null},"
                                + "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":\"5\"},"
                                + "{\"jsonrpc\":\"2.0\",\"result\":[\"hello\",5],\"id\":\"9\"}]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
            {"jsonrpc": "2.0", "method": "foobar"}
            [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]
            """)
    void notificationsGetNoAnswer(String request) {
        assertThat(answer(request).status()).isEqualTo(204);
        assertThat(answer(request).document()).isNull();
    }

    @Test
    void aBatchThatIsTooLargeRunsNothing() {
        String call = "{\"jsonrpc\":\"2.0\",\"method\":\"get_data\",\"id\":1}";

        Answer answer = answer("[" + (call + ",").repeat(6) + call + "]");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(Json.write(answer.document())).contains("-32600", "6 calls at most");
    }

    @Test
    void aRefusalAndAFailureTellNoMoreThanTheyMay() {
        assertThat(Json.write(answer("{\"jsonrpc\":\"2.0\",\"method\":\"refused\",\"id\":1}")
                        .document()))
                .contains("\"code\":-32003", "not you");
        assertThat(Json.write(answer("{\"jsonrpc\":\"2.0\",\"method\":\"broken\",\"id\":1}")
                        .document()))
                .contains("\"code\":-32603", "Internal error")
                .doesNotContain("secret");
    }

    @Test
    void anIdKeepsItsTypeAndAllOfItsDigits() {
        assertThat(text(answer("{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"id\":12345678901234567890123}")))
                .contains("\"id\":12345678901234567890123");
        assertThat(text(answer("{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"id\":null}")))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":null}");
        assertThat(text(answer("{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"id\":{}}")))
                .contains("-32600");
    }

    private static final String LARGE = "{\"jsonrpc\":\"2.0\",\"method\":\"large\",\"id\":1}";
    private static final String LARGE_NOTIFICATION = "{\"jsonrpc\":\"2.0\",\"method\":\"large\"}";
    private static final String SLOW = "{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"id\":1}";

    private static List<?> responses(Answer answer) {
        assertThat(answer.status()).isEqualTo(200);
        return (List<?>) Json.read(Json.write(answer.document()));
    }

    private static void assertNotExecuted(Object response, String what) {
        Map<?, ?> error = (Map<?, ?>) ((Map<?, ?>) response).get("error");
        assertThat(Json.write(error)).contains("-32013", "\"status\":413", "too_large", what);
    }

    @Test
    void aBatchWhoseAnswersAreLargeSaysWhichCallsWereNotExecuted() {
        LARGE_ANSWERS.set(0);

        List<?> responses = responses(answer("[" + (LARGE + ",").repeat(5) + LARGE_NOTIFICATION + "]"));

        assertThat(LARGE_ANSWERS).as("three have no room for a fourth").hasValue(3);
        assertThat(responses).hasSize(6);
        for (Object left : responses.subList(3, 5)) {
            assertNotExecuted(left, "this call was not executed");
        }
        assertNotExecuted(responses.get(5), "1 notification at the end of this batch was not executed");
        assertThat(((Map<?, ?>) responses.get(5)).get("id")).isNull();
    }

    @Test
    void notificationsCostWhatOtherCallsCost() {
        LARGE_ANSWERS.set(0);

        List<?> responses = responses(answer("[" + (LARGE_NOTIFICATION + ",").repeat(5) + LARGE + "]"));

        assertThat(LARGE_ANSWERS).hasValue(3);
        assertThat(responses).hasSize(2);
        assertNotExecuted(responses.get(0), "this call was not executed");
        assertNotExecuted(responses.get(1), "2 notifications at the end of this batch were not executed");
    }

    @Test
    void aBatchThatTakesLongBeginsNoFurtherCall() {
        SLOW_CALLS.set(0);

        List<?> responses = responses(answer("[" + (SLOW + ",").repeat(4) + "17]"));

        assertThat(SLOW_CALLS).hasValue(2);
        assertThat(responses).hasSize(5);
        assertNotExecuted(responses.get(2), "this call was not executed");
        assertNotExecuted(responses.get(3), "this call was not executed");
        assertThat(Json.write(responses.get(4))).contains("-32600");
    }
}
