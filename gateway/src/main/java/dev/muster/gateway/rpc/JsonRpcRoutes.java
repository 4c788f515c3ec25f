package dev.muster.gateway.rpc;

import dev.muster.access.Scope;
import dev.muster.gateway.route.Refusal;
import dev.muster.gateway.route.Route;
import dev.muster.gateway.route.Schema;
import java.util.List;
import java.util.function.Function;

/** JSON-RPC 2.0 at the root. */
public final class JsonRpcRoutes {
    private JsonRpcRoutes() {}

    /** @param failures turns what a method throws into a refusal */
    public static List<Route> all(Function<Throwable, Refusal> failures) {
        JsonRpc rpc = new JsonRpc(TaskMethods.ALL, failures);
        return List.of(Route.post(
                        "/",
                        "JSON-RPC 2.0, also in batches: tasks.execute, tasks.get, tasks.tree, tasks.list, tasks.cancel, "
                                + "tasks.methods. Each call needs its own scope: read, or write to execute and cancel.")
                .scope(Scope.READ)
                .mayOnlyRead()
                .takes(Schema.any().describe("a call, or a list of calls"))
                .parsesBody()
                .answers(Schema.any().describe("a response, or a list of responses; 204 if there are none"))
                .to(call -> rpc.answer(
                        call, call.muster().context().config().gateway().maxBatch())));
    }
}
