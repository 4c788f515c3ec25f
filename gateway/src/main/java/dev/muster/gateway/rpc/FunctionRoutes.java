package dev.muster.gateway.rpc;

import dev.muster.access.Scope;
import dev.muster.config.DurationText;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionResult;
import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.RateLimitHeaders;
import dev.muster.gateway.route.Refusal;
import dev.muster.gateway.route.Route;
import dev.muster.gateway.route.Schema;
import dev.muster.job.RawJson;
import dev.muster.runtime.StorableText;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** RPC functions: the application's queries and mutations. */
public final class FunctionRoutes {
    private static final Schema FUNCTION = Schema.object("Function")
            .members("name:text kind:text roles:[text] timeout:duration limit:text? args:text? result:text");

    public static final List<Route> ALL = List.of(
            Route.get("/_api/functions", "List the functions of this node.")
                    .tenantsConfined()
                    .answers(Schema.object().with("functions", Schema.list(FUNCTION)))
                    .to(call -> Answer.of(Map.of(
                            "functions",
                            call.muster().functions().list().stream()
                                    .map(FunctionRoutes::document)
                                    .toList()))),
            Route.post(
                            "/_api/rpc/{function}",
                            "Call a query, which needs the scope read, or a mutation, which needs write.")
                    .scope(Scope.READ)
                    .mayOnlyRead()
                    .tenantsConfined()
                    .mayTake(Schema.any().describe("the args of the function"))
                    .answers(Schema.object("Result").members("success:flag data:any? error:any? request_id:text"))
                    .to(FunctionRoutes::call));

    private FunctionRoutes() {}

    private static Map<String, @Nullable Object> document(FunctionInfo function) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("name", function.name());
        document.put("kind", function.kind().text());
        document.put("roles", List.copyOf(new TreeSet<>(function.roles())));
        document.put("timeout", DurationText.format(function.timeout()));
        document.put(
                "limit",
                function.limit()
                        .map(limit -> limit.limit().permits() + " per "
                                + DurationText.format(limit.limit().window()) + ", key " + limit.key())
                        .orElse(null));
        document.put("args", function.argsType().map(FunctionRoutes::simple).orElse(null));
        document.put("result", simple(function.resultType()));
        return document;
    }

    /** The type without packages, for people. */
    private static String simple(Type type) {
        return type.getTypeName().replaceAll("[a-z0-9_]+\\.", "").replace('$', '.');
    }

    private static Answer call(Call call) {
        FunctionResult result;
        refuseUnstorable(call.bodyTree());
        try {
            result = call.muster()
                    .functions()
                    .call(new FunctionCall(call.path("function"), call.body(), call.caller(), call.requestId()));
        } catch (FunctionError e) {
            throw FunctionRefusals.of(e).details(details(call, e));
        } catch (FunctionException e) {
            throw FunctionRefusals.of(e);
        }
        Map<String, @Nullable Object> envelope = new LinkedHashMap<>();
        envelope.put("success", true);
        envelope.put("data", new RawJson(result.json()));
        envelope.put("error", null);
        envelope.put("request_id", call.requestId());
        Answer answer = Answer.of(envelope);
        return result.permit()
                .map(permit ->
                        new Answer(200, envelope, Answer.JSON, RateLimitHeaders.of(permit.limit(), permit.decision())))
                .orElse(answer);
    }

    private static @Nullable Object details(Call call, FunctionError e) {
        return e.details()
                .map(details -> new RawJson(call.muster().context().json().write(details)))
                .orElse(null);
    }

    /** Most functions pass their args on to the database, which takes no such texts; it is the caller who can do something about it. */
    private static void refuseUnstorable(@Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            object.keySet().forEach(FunctionRoutes::refuseUnstorable);
            object.values().forEach(FunctionRoutes::refuseUnstorable);
        } else if (value instanceof List<?> list) {
            list.forEach(FunctionRoutes::refuseUnstorable);
        } else if (value instanceof String text && !StorableText.isStorable(text)) {
            throw Refusal.badRequest("a text in the args has the character 0 or half a surrogate pair");
        }
    }
}
