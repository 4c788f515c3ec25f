package dev.muster.internal.assembly;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.recovery.DeadNodeRecovery;
import dev.muster.internal.recovery.DeadNodeRecovery.Judging;
import dev.muster.internal.recovery.LeaderOrStandIn;
import dev.muster.internal.recovery.PredecessorsJobs;
import dev.muster.internal.worker.HandlerAccess;
import dev.muster.internal.worker.Worker;
import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.leader.LeaderRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The parts of a node that all subsystems stand on: the worker, which runs jobs, and the recovery of what dead nodes held. A node
 * without handlers or without the worker role has no worker, an observer has no recovery.
 */
final class JobEngine {
    private final NodeResources node;
    final ClaimFilter filter;
    private final Optional<Worker> worker;
    private final Optional<DeadNodeRecovery> recovery;

    JobEngine(NodeResources node, Membership membership, Judging judging) {
        this.node = node;
        this.filter = filter(node);
        boolean works = !node.routedHandlers.plans().isEmpty();
        this.worker = works ? Optional.of(worker(membership)) : Optional.empty();
        this.recovery = node.observes() ? Optional.empty() : Optional.of(recovery(membership, judging));
    }

    private static ClaimFilter filter(NodeResources node) {
        return new ClaimFilter(
                node.nodeId(),
                node.config().node().queues().map(Set::copyOf).orElse(null),
                Set.copyOf(node.config().node().capabilities()),
                node.config().node().labels(),
                node.routedHandlers.names(),
                lease(node.config()));
    }

    /** Without {@code worker.claiming} no other worker could take over a claim, so claims need no renewal. */
    private static Duration lease(MusterConfig config) {
        return config.worker().claiming() ? config.worker().lease() : Duration.ofDays(36_500);
    }

    private Worker worker(Membership membership) {
        AttemptRules rules = new AttemptRules(
                node.json(),
                node.payloads(),
                node.argsSource(),
                node.interceptors,
                ThreadLocalRandom::current,
                node.clock());
        return new Worker(
                new Worker.Plan(filter, node.routedHandlers.plans(), node.registry),
                node.config().worker(),
                new Worker.Stores(node.store.claims(), node.store.dependencies()),
                new HandlerAccess(node.nodeId(), node::connection, node.jobs()),
                rules,
                node.coordinator(),
                new Worker.Listeners(node.listeners, node.telemetry(), membership::beatMoreOften),
                node.clock());
    }

    private DeadNodeRecovery recovery(Membership membership, Judging judging) {
        return new DeadNodeRecovery(
                node.nodeId(),
                new DeadNodeRecovery.Stores(node.store.nodes(), node.store.recovery(), node.store.dependencies()),
                new LeaderOrStandIn(
                        membership.leadership(LeaderRole.SCHEDULER),
                        node.store.leaders()::unfenced,
                        node.config().cluster().deadThreshold()),
                judging,
                node.config().cluster(),
                node.config().worker(),
                new DeadNodeRecovery.Listeners(node.listeners, node.telemetry(), this::newWork),
                node.clock());
    }

    List<NodePart> parts() {
        List<NodePart> parts = new ArrayList<>();
        recovery.ifPresent(parts::add);
        if (worker.isPresent() && !node.config().worker().claiming()) {
            parts.add(new PredecessorsJobs(node.nodeId(), node.store.recovery(), node.listeners, node.telemetry()));
        }
        worker.ifPresent(parts::add);
        return parts;
    }

    /** The handlers that this node runs jobs with. */
    Collection<JobHandler> handlers() {
        return worker.isEmpty()
                ? List.of()
                : node.registry.all().stream()
                        .filter(handler -> filter.names().contains(handler.name()))
                        .toList();
    }

    /** What those handlers run on. */
    Routes routes() {
        return node.config().node().has(NodeRole.WORKER) ? node.routedHandlers.routes() : Routes.NONE;
    }

    /** What the executors run now. */
    List<ExecutorInfo> executors() {
        return worker.map(Worker::executors).orElse(List.of());
    }

    int runningJobs() {
        return worker.map(Worker::runningJobs).orElse(0);
    }

    /** Tells the workers, this node first, of lanes in which jobs have become claimable. */
    private void newWork(Set<Lane> lanes) {
        worker.ifPresentOrElse(here -> here.newWork(lanes), () -> node.signal.newWork(lanes));
    }

    /** These claims were taken over with this node's row. */
    void takenBack(List<Recovered> claims) {
        recovery.ifPresent(here -> here.takenBack(claims));
    }
}
