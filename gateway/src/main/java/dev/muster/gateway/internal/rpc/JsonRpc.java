package dev.muster.gateway.internal.rpc;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.internal.runtime.Plural;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.internal.runtime.Shown;
import dev.muster.job.RawJson;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * JSON-RPC 2.0: single calls, batches and notifications. Each call of a batch is authorised by itself.
 *
 * <p>A request that is not JSON, or no call at all, is answered with 400; otherwise the status is 200, or 204 if there are only
 * notifications, and errors are in the body.
 */
public final class JsonRpc {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;
    static final int REFUSED = -32000;

    /** How many characters the results of a batch have together before no further call is executed. */
    private static final int MOST_TEXT = 16 << 20;

    /** For how long calls of a batch are executed before no further one is begun. */
    static final Duration LONGEST = Duration.ofSeconds(5);

    private static final Map<Integer, String> MESSAGES = Map.of(
            PARSE_ERROR, "Parse error",
            INVALID_REQUEST, "Invalid Request",
            METHOD_NOT_FOUND, "Method not found",
            INVALID_PARAMS, "Invalid params",
            INTERNAL_ERROR, "Internal error");

    private final Map<String, Method> methods;
    private final Function<Throwable, Refusal> failures;
    private final Clock clock;

    /** Does what a call asks for. */
    @FunctionalInterface
    public interface Method {
        /**
         * @param params an object or an array; null if there are none
         * @throws Refusal if the call is refused
         */
        @Nullable
        Object call(Call call, @Nullable Object params);
    }

    /** @param failures turns what a method throws into a refusal */
    public JsonRpc(Map<String, Method> methods, Function<Throwable, Refusal> failures, Clock clock) {
        this.methods = Map.copyOf(methods);
        this.failures = failures;
        this.clock = clock;
    }

    /** @param maxCalls how many calls a batch may have */
    public Answer answer(Call call, int maxCalls) {
        if (call.bodyProblem() != null) {
            return badRequest(PARSE_ERROR, call.bodyProblem());
        }
        if (!(call.bodyTree() instanceof List<?> batch)) {
            Map<String, @Nullable Object> response = one(call, call.bodyTree());
            return isNotification(call.bodyTree())
                    ? Answer.nothing()
                    : new Answer(isInvalidRequest(response) ? 400 : 200, response, Answer.JSON, Map.of());
        }
        if (batch.isEmpty() || batch.size() > maxCalls) {
            String problem = batch.isEmpty() ? "the batch is empty" : "a batch may have " + maxCalls + " calls at most";
            return badRequest(INVALID_REQUEST, problem);
        }
        return answer(call, batch);
    }

    /** What a notification has read was read like anything else, so it counts, although nobody gets to see it. */
    private Answer answer(Call call, List<?> batch) {
        long begun = clock.nanos();
        long length = 0;
        int dropped = 0;
        List<RawJson> responses = new ArrayList<>();
        for (Object single : batch) {
            boolean over = length > MOST_TEXT || clock.nanos() - begun > LONGEST.toNanos();
            boolean isNotification = isNotification(single);
            if (over && isNotification) {
                dropped++;
                continue;
            }
            String response = Json.write(over ? notExecuted(single) : one(call, single));
            length += isNotification ? response.length() : counted(response);
            if (!isNotification) {
                responses.add(new RawJson(response));
            }
        }
        if (dropped > 0) {
            responses.add(new RawJson(Json.write(refused(null, notExecuted(dropped)))));
        }
        return responses.isEmpty() ? Answer.nothing() : Answer.of(responses);
    }

    private static boolean isNotification(@Nullable Object single) {
        return single instanceof Map<?, ?> request
                && !request.containsKey("id")
                && problem(request).isEmpty();
    }

    private static boolean isInvalidRequest(Map<String, @Nullable Object> response) {
        return response.get("error") instanceof Map<?, ?> error
                && Integer.valueOf(INVALID_REQUEST).equals(error.get("code"));
    }

    private static Answer badRequest(int code, @Nullable String problem) {
        return new Answer(400, error(null, code, problem), Answer.JSON, Map.of());
    }

    private Map<String, @Nullable Object> one(Call call, @Nullable Object single) {
        return invalid(single).orElseGet(() -> {
            Map<?, ?> request = (Map<?, ?>) Objects.requireNonNull(single);
            return response(call, request.get("id"), String.valueOf(request.get("method")), request.get("params"));
        });
    }

    /** The response to what is no call; empty if it is one. */
    private static Optional<Map<String, @Nullable Object>> invalid(@Nullable Object single) {
        if (!(single instanceof Map<?, ?> request)) {
            return Optional.of(error(null, INVALID_REQUEST, "a call is an object"));
        }
        Object id = request.get("id");
        return problem(request).map(problem -> error(isId(id) ? id : null, INVALID_REQUEST, problem));
    }

    /** The response to a call that comes too late in its batch. */
    private static Map<String, @Nullable Object> notExecuted(@Nullable Object single) {
        return invalid(single).orElseGet(() -> {
            Map<?, ?> request = (Map<?, ?>) Objects.requireNonNull(single);
            return refused(request.get("id"), notExecuted("this call was not executed"));
        });
    }

    private static Refusal notExecuted(int notifications) {
        return notExecuted(Plural.of(notifications, "notification") + " at the end of this batch "
                + Plural.choose(notifications, "was", "were") + " not executed");
    }

    private static Refusal notExecuted(String what) {
        return Refusal.of(
                413,
                "too_large",
                what + ": the calls before it have taken " + LONGEST.toSeconds()
                        + " s, or their results are as long as they may be, which is "
                        + MOST_TEXT / (1 << 20)
                        + " MB, or less while the node answers many large requests; send it in another batch");
    }

    /** How long an answer is. It was executed, so if there is no room for more of its kind, it is the last one. */
    private static long counted(String response) {
        try {
            LargeReads.count(response.length());
            return response.length();
        } catch (LargeReads.TooMany e) {
            return MOST_TEXT + 1L;
        }
    }

    private static Optional<String> problem(Map<?, ?> request) {
        if (!"2.0".equals(request.get("jsonrpc"))) {
            return Optional.of("jsonrpc: must be the text 2.0");
        }
        if (!(request.get("method") instanceof String)) {
            return Optional.of("method: must be a text");
        }
        Object params = request.get("params");
        if (request.containsKey("params") && !(params instanceof Map) && !(params instanceof List)) {
            return Optional.of("params: must be an object or an array");
        }
        return isId(request.get("id")) ? Optional.empty() : Optional.of("id: must be a text, a number or null");
    }

    private static boolean isId(@Nullable Object id) {
        return !(id instanceof Map) && !(id instanceof List) && !(id instanceof Boolean);
    }

    private Map<String, @Nullable Object> response(
            Call call, @Nullable Object id, String name, @Nullable Object params) {
        Method method = methods.get(name);
        if (method == null) {
            return error(id, METHOD_NOT_FOUND, "there is no method '" + Shown.of(name) + "'; tasks.methods lists all");
        }
        try {
            Map<String, @Nullable Object> response = new LinkedHashMap<>();
            response.put("jsonrpc", "2.0");
            response.put("result", SentCommits.during(() -> method.call(call, params)));
            response.put("id", id);
            return response;
        } catch (RuntimeException | Error e) {
            return refused(id, failures.apply(e));
        }
    }

    private static Map<String, @Nullable Object> refused(@Nullable Object id, Refusal refusal) {
        int code = switch (refusal.status()) {
            case 400 -> INVALID_PARAMS;
            case 500 -> INTERNAL_ERROR;
            default -> REFUSED - refusal.status() % 100;
        };
        Map<String, @Nullable Object> data = new LinkedHashMap<>(refusal.error());
        data.put("status", refusal.status());
        return error(id, code, MESSAGES.getOrDefault(code, refusal.message()), data);
    }

    private static Map<String, @Nullable Object> error(@Nullable Object id, int code, @Nullable String problem) {
        return error(id, code, String.valueOf(MESSAGES.get(code)), problem);
    }

    private static Map<String, @Nullable Object> error(
            @Nullable Object id, int code, String message, @Nullable Object data) {
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("message", message);
        if (data != null) {
            error.put("data", data);
        }
        Map<String, @Nullable Object> response = new LinkedHashMap<>();
        response.put("jsonrpc", "2.0");
        response.put("error", error);
        response.put("id", id);
        return response;
    }
}
