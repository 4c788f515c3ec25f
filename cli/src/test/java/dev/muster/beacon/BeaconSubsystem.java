package dev.muster.beacon;

import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Beacons. A node without handlers of this kind has no part of it, as most nodes of other tests. */
public final class BeaconSubsystem implements Subsystem {
    /** What has happened to the parts of all nodes in this process. */
    static final List<String> DIARY = new CopyOnWriteArrayList<>();

    private static final HandlerKind<BeaconHandler> BEACONS = new HandlerKind<>(Beacon.class, BeaconSubsystem::read);

    @Override
    public String name() {
        return "beacons";
    }

    @Override
    public List<HandlerKind<?>> handlerKinds() {
        return List.of(BEACONS);
    }

    private static BeaconHandler read(HandlerMethod method) {
        if (method.parameters().length > 0) {
            throw new MusterException("a beacon is a method without parameters");
        }
        Call call = method.call();
        return new BeaconHandler(method.annotation(Beacon.class).value(), () -> String.valueOf(call.invoke()));
    }

    /** A job for each beacon, which returns its colour. */
    @Override
    public List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        return handlers.of(BEACONS).stream()
                .map(beacon -> JobHandler.named("colour_of_" + beacon.name())
                        .handle((ctx, args) ->
                                beacon.colour().call() + " on " + node.get().nodeId()))
                .toList();
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Beacons beacons = () -> node.port(BeaconStore.class).list();
        return List.of(new Api<>(Beacons.class, beacons));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<BeaconHandler> handlers = node.handlers().of(BEACONS);
        return handlers.isEmpty()
                ? List.of()
                : List.of(new BeaconKeeper(node.port(BeaconStore.class), node.nodeId(), handlers, DIARY));
    }
}
