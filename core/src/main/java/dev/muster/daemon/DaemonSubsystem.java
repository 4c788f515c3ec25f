package dev.muster.daemon;

import dev.muster.config.NodeRole;
import dev.muster.daemon.DaemonStore.Holder;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.RetryPolicy;
import dev.muster.node.HandlerKind;
import dev.muster.node.HandlerMethod;
import dev.muster.node.HandlerMethod.Call;
import dev.muster.node.Membership;
import dev.muster.node.NodeContext;
import dev.muster.node.NodePart;
import dev.muster.node.Subsystem;
import dev.muster.runtime.Durations;
import dev.muster.runtime.MusterException;
import dev.muster.wakeup.ClusterCoordinator.Topic;
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
        Daemons daemons = new StoredDaemons(store(node), changed(node));
        return List.of(new Api<>(Daemons.class, node.observes() ? new ObserverDaemons(daemons) : daemons));
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
                () -> new Holder(node.nodeId(), membership.incarnation()),
                node::connection,
                changed(node),
                membership::beatMoreOften,
                membership::aliveUntil,
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
