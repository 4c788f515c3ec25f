package dev.muster.gateway.internal.rpc;

import dev.muster.Muster;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.PublishedFunction;
import dev.muster.config.NodeRole;
import dev.muster.document.internal.FunctionDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionResult;
import dev.muster.gateway.internal.forward.Forwarder;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.RateLimitHeaders;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.function.CallRights;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.RawJson;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** RPC functions: the application's queries and mutations. */
public final class FunctionRoutes {
    private static final String MEMBERS =
            "name:text kind:text roles:[text] timeout:duration limit:text? args:text? result:text";

    /** A function as a node publishes it. */
    public static final Schema FUNCTION = Schema.object("Function").members(MEMBERS);

    private static final Schema LISTED = Schema.object("ClusterFunction")
            .members(MEMBERS)
            .with("nodes", Schema.list(Schema.text()).orNull().describe("the nodes that run it; null for tenants"));

    public static final List<Route> ALL = List.of(
            Route.get("/_api/functions", "List the functions of the cluster, and the nodes that run them.")
                    .tenantsConfined()
                    .answers(Schema.object().with("functions", Schema.list(LISTED)))
                    .to(FunctionRoutes::list),
            Route.post(
                            "/_api/rpc/{function}",
                            "Call a query, which needs the scope read, or a mutation, which needs write.")
                    .scope(Scope.READ)
                    .mayOnlyRead()
                    .tenantsConfined()
                    .mayTake(Schema.any().describe("the args of the function"))
                    .runsFunction()
                    .answers(Schema.object("Result").members("success:flag data:any? error:any? request_id:text"))
                    .to(FunctionRoutes::call));

    private FunctionRoutes() {}

    /**
     * The functions of the cluster by name, each as the node publishes it that started last, with the nodes that run it. This node's own are
     * there even if it does not run them.
     */
    private static Answer list(Call call) {
        Map<String, ListedFunction> byName = new TreeMap<>();
        call.muster().nodes().stream()
                .filter(NodeInfo::isAlive)
                .sorted(Comparator.comparing(NodeInfo::startedAt).reversed())
                .forEach(node -> node.functions()
                        .forEach(function ->
                                ListedFunction.add(byName, function).nodes().add(node.id())));
        call.muster().functions().list().forEach(function -> ListedFunction.add(byName, function.published()));
        // Callers of a tenant learn of the functions alone that they may call.
        boolean all = call.caller().tenant().isEmpty();
        return Answer.of(Map.of(
                "functions",
                byName.values().stream()
                        .filter(function -> all || CallRights.mayCall(call.caller(), function.function()))
                        .map(function -> function.document(all))
                        .toList()));
    }

    /** A function, and the nodes that run it. */
    private record ListedFunction(PublishedFunction function, Set<String> nodes) {
        static ListedFunction add(Map<String, ListedFunction> all, PublishedFunction function) {
            return all.computeIfAbsent(function.name(), name -> new ListedFunction(function, new TreeSet<>()));
        }

        Map<String, @Nullable Object> document(boolean showNodes) {
            return JsonObjectWriter.of(FunctionDocument.write(function))
                    .put("nodes", showNodes ? List.copyOf(nodes) : null)
                    .done();
        }
    }

    private static Answer call(Call call) {
        FunctionCall function = new FunctionCall(call.path("function"), call.body(), call.caller(), call.requestId());
        try {
            return run(call.muster(), function);
        } catch (FunctionException.UnknownFunction | FunctionException.NotServed e) {
            NodeContext node = call.muster().api(NodeContext.class);
            if (node.observes()) {
                throw e;
            }
            return Forwarder.of(node).forward(function);
        }
    }

    /** Whether this node itself runs the function. */
    public static boolean runsHere(Muster muster, String function) {
        return muster.api(NodeContext.class).config().node().has(NodeRole.FUNCTION)
                && muster.functions().list().stream()
                        .anyMatch(info -> info.name().equals(function));
    }

    /**
     * Runs a function on this node.
     *
     * @throws FunctionException.UnknownFunction if it does not have the function
     * @throws FunctionException.NotServed if it runs none
     * @throws Refusal if the call is refused or fails
     */
    static Answer run(Muster muster, FunctionCall call) {
        FunctionResult result;
        try {
            result = muster.functions().call(call);
        } catch (FunctionError e) {
            throw FunctionRefusals.of(e).details(details(muster, e));
        } catch (FunctionException.UnknownFunction | FunctionException.NotServed e) {
            throw e;
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

    private static @Nullable Object details(Muster muster, FunctionError e) {
        return e.details()
                .map(details -> new RawJson(muster.api(NodeContext.class).json().write(details)))
                .orElse(null);
    }
}
