package dev.muster.gateway.internal.rpc;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** JSON-RPC 2.0 at the root. */
public final class JsonRpcRoutes {
    private static final Schema RESPONSE = Schema.any().describe("a response, or a list of responses");

    private JsonRpcRoutes() {}

    /** Runs an action within an entry of the audit. */
    @FunctionalInterface
    public interface Audited {
        Object run(
                Call call,
                String action,
                String target,
                Map<String, @Nullable Object> details,
                Supplier<Object> handler);
    }

    /**
     * @param failures turns what a method throws into a refusal
     * @param audited for the methods whose use the audit records, as it does for the same actions over REST
     */
    public static List<Route> all(Function<Throwable, Refusal> failures, Audited audited) {
        JsonRpc rpc = new JsonRpc(TaskMethods.all(audited), failures, Clock.system());
        return List.of(Route.post(
                        "/",
                        "JSON-RPC 2.0, also in batches: tasks.execute, tasks.get, tasks.tree, tasks.list, tasks.cancel, "
                                + "tasks.methods. Each call needs its own scope: read, or write to execute and cancel.")
                .scope(Scope.READ)
                .mayOnlyRead()
                .takes(Schema.any().describe("a call, or a list of calls"))
                .parsesBody()
                .answers(RESPONSE)
                .orAnswers(204, "there are notifications only")
                .orAnswers(400, RESPONSE, "the body is no call")
                .to(call -> rpc.answer(
                        call,
                        call.muster().api(NodeContext.class).config().gateway().maxCalls())));
    }
}
