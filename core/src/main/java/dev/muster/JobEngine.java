package dev.muster;

import dev.muster.cluster.DatabaseContact;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeStore.Routes;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.leader.LeaderRole;
import dev.muster.node.Membership;
import dev.muster.node.NodePart;
import dev.muster.recovery.DeadNodeRecovery;
import dev.muster.recovery.DeadNodeRecovery.DeadNodeCleanup;
import dev.muster.recovery.LeaderOrStandIn;
import dev.muster.recovery.PredecessorsJobs;
import dev.muster.runtime.PollAlignment;
import dev.muster.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The parts of a node that all subsystems stand on: the worker, which runs jobs, and the recovery of what dead nodes held. A node
 * without handlers or without the worker role has no worker, an observer has no recovery.
 */
final class JobEngine {
    private final NodeResources node;
    final ClaimScope scope;
    private final Optional<Worker> worker;
    private final Optional<DeadNodeRecovery> recovery;

    /**
     * What recovery needs to judge other nodes.
     *
     * @param beatNow makes the node send a heartbeat at once. Quick, on any thread
     * @param contact whether the node has been in touch with the database
     * @param alignment aligns the node's regular polls of the database
     * @param cleanup releases what dead nodes held besides claims
     */
    record Judging(Runnable beatNow, DatabaseContact contact, PollAlignment alignment, DeadNodeCleanup cleanup) {}

    JobEngine(NodeResources node, Membership membership, Judging judging) {
        this.node = node;
        this.scope = scope(node);
        boolean works = !node.routedHandlers.plans().isEmpty();
        this.worker = works ? Optional.of(worker(membership)) : Optional.empty();
        this.recovery = node.observes() ? Optional.empty() : Optional.of(recovery(membership, judging));
    }

    private static ClaimScope scope(NodeResources node) {
        return new ClaimScope(
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
        return new Worker(
                scope,
                node.routedHandlers.plans(),
                node.config().worker(),
                node.store.claims(),
                node::connection,
                node.store.dependencies(),
                node.registry,
                node.interceptors,
                node.jobs(),
                node.json(),
                node.payloads(),
                node.argsSource(),
                node.coordinator(),
                node.listeners,
                node.telemetry(),
                membership::beatMoreOften,
                node.clock());
    }

    private DeadNodeRecovery recovery(Membership membership, Judging judging) {
        return new DeadNodeRecovery(
                node.nodeId(),
                node.store.nodes(),
                node.store.recovery(),
                node.store.dependencies(),
                new LeaderOrStandIn(
                        membership.leadership(LeaderRole.SCHEDULER),
                        node.store.leaders()::unfenced,
                        node.config().cluster().deadThreshold()),
                judging.contact(),
                judging.beatNow(),
                node.config().cluster(),
                node.config().worker(),
                judging.cleanup(),
                node.listeners,
                node.telemetry(),
                this::newWork,
                judging.alignment(),
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
                        .filter(handler -> scope.names().contains(handler.name()))
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
