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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of the JSON-RPC 2.0 specification, and what it leaves open. */
class JsonRpcTest {
    private static final AtomicInteger LARGE_ANSWERS = new AtomicInteger();

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
                thrown -> thrown instanceof Refusal refusal ? refusal : Refusal.of(500, "internal", "it failed"));
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

    @Test
    void aBatchWhoseAnswersAreLargeSaysWhichCallsWereNotExecuted() {
        LARGE_ANSWERS.set(0);
        String call = "{\"jsonrpc\":\"2.0\",\"method\":\"large\",\"id\":1}";
        String notification = "{\"jsonrpc\":\"2.0\",\"method\":\"large\"}";

        Answer answer = answer("[" + (call + ",").repeat(5) + notification + "]");

        assertThat(LARGE_ANSWERS)
                .as("three have no room for a fourth, and the notification")
                .hasValue(4);
        assertThat(answer.status()).isEqualTo(200);
        List<?> responses = (List<?>) Json.read(Json.write(answer.document()));
        assertThat(responses).hasSize(5);
        for (Object left : responses.subList(3, 5)) {
            Map<?, ?> error = (Map<?, ?>) ((Map<?, ?>) left).get("error");
            assertThat(Json.write(error)).contains("-32013", "\"status\":413", "too_large", "was not executed");
        }
    }
}
