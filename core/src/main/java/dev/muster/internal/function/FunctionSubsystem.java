package dev.muster.internal.function;

import dev.muster.cluster.PublishedFunction;
import dev.muster.config.NodeRole;
import dev.muster.function.Functions;
import dev.muster.function.Mutation;
import dev.muster.function.Query;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.ratelimit.BackendRateLimits;
import dev.muster.ratelimit.RateLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Functions: methods annotated with {@link Query} or {@link Mutation}. */
public final class FunctionSubsystem implements Subsystem {

    @Override
    public String name() {
        return "functions";
    }

    @Override
    public List<HandlerKind<?>> handlerKinds() {
        return List.of(FunctionMethods.QUERIES, FunctionMethods.MUTATIONS);
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        FunctionRunner runner =
                new FunctionRunner(node.port(HandlerTransactions.class), node::jobsIn, node.json(), watch(node));
        return List.of(new Api<>(
                Functions.class,
                new ServedFunctions(
                        handlers(node),
                        new ServedFunctions.Node(node.nodeId(), serves(node), node.observes()),
                        limits(node),
                        node.json(),
                        runner)));
    }

    /** An observer must not write counts into the database, so it counts for itself. */
    private static RateLimits limits(NodeContext node) {
        return node.observes() ? BackendRateLimits.inMemory(node.clock()) : node.rateLimits();
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        return serves(node) && !handlers(node).isEmpty() ? List.of(new CallHealth(watch(node))) : List.of();
    }

    /** An observer does not have the role, so that no other node forwards calls to it; but it runs the queries of its own callers. */
    private static boolean serves(NodeContext node) {
        return node.config().node().has(NodeRole.FUNCTION) || node.observes();
    }

    /** What a node tells others about the functions that it runs; nothing if it does not have the role. */
    public static List<PublishedFunction> published(NodeContext node) {
        if (node.observes() || !node.config().node().has(NodeRole.FUNCTION)) {
            return List.of();
        }
        return handlers(node).stream()
                .map(function -> function.info().published())
                .sorted(Comparator.comparing(PublishedFunction::name))
                .toList();
    }

    private static List<FunctionHandler> handlers(NodeContext node) {
        List<FunctionHandler> all = new ArrayList<>(node.handlers().of(FunctionMethods.QUERIES));
        all.addAll(node.handlers().of(FunctionMethods.MUTATIONS));
        return all;
    }

    private static CallWatch watch(NodeContext node) {
        return node.shared(CallWatch.class, () -> new CallWatch(node.clock()));
    }
}
