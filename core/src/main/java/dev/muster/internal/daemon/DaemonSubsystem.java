package dev.muster.internal.daemon;

import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.config.NodeRole;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.daemon.Daemons;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Daemons: methods annotated with {@link Daemon}. */
public final class DaemonSubsystem implements Subsystem {
    private static final HandlerKind<DaemonHandler> DAEMONS = new HandlerKind<>(Daemon.class, DaemonSubsystem::read);
    private static final Topic CHANGED = new Topic("DAEMONS");
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "daemons";
    }

    @Override
    public List<HandlerKind<?>> handlerKinds() {
        return List.of(DAEMONS);
    }

    private static DaemonHandler read(HandlerMethod method) {
        Daemon daemon = method.annotation(Daemon.class);
        if (!method.takesAtMost(DaemonContext.class) || method.parameters().length == 0) {
            throw new MusterException("a daemon is an instance method that takes a DaemonContext");
        }
        Call call = method.call();
        return new DaemonHandler(
                method.name(daemon.name()),
                daemon.perNode(),
                HandlerMethod.duration(daemon.startDelay()),
                daemon.maxRestarts(),
                BackoffPolicy.of(RetryPolicy.DEFAULT_MAX_ATTEMPTS, -1, daemon.backoff()),
                call::invoke);
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Daemons daemons = new DatabaseDaemons(store(node), changed(node));
        return List.of(new Api<>(Daemons.class, daemons));
    }

    /** Every node that can declare others dead releases their daemons, whether it runs daemons or not. */
    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        if (!node.observes()) {
            parts.add(new DaemonsOfDeadNodes(store(node), changed(node)));
        }
        if (node.config().node().has(NodeRole.WORKER)
                && !node.handlers().of(DAEMONS).isEmpty()) {
            parts.add(keeper(node, membership));
        }
        return parts;
    }

    private static DaemonKeeper keeper(NodeContext node, Membership membership) {
        DaemonKeeper keeper = new DaemonKeeper(
                store(node),
                node.handlers().of(DAEMONS),
                new DaemonKeeper.Host(
                        () -> new Holder(node.nodeId(), membership.incarnation()),
                        membership::aliveUntil,
                        changed(node),
                        membership::beatMoreOften),
                node::connection,
                new DaemonKeeper.Times(
                        node.config().worker().lease(),
                        node.config().worker().renew(),
                        timeToStop(node.config().cluster().deadThreshold()),
                        node.config().worker().drainTimeout()),
                node.telemetry(),
                node.clock());
        node.coordinator().registerChangeListener(CHANGED, keeper::wake);
        return keeper;
    }

    /** How long before a node can be declared dead its daemons are told to stop. */
    private static Duration timeToStop(Duration deadThreshold) {
        return Durations.shorter(deadThreshold.dividedBy(5), TIME_TO_STOP);
    }

    private static DaemonStore store(NodeContext node) {
        return node.port(DaemonStore.class);
    }

    /** Tells all nodes that a daemon is free, or that a node can take some. */
    private static Runnable changed(NodeContext node) {
        return () -> node.coordinator().notifyChange(CHANGED);
    }
}
