package dev.muster;

import dev.muster.config.NodeRole;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.leader.Election;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.UnelectedLeader;
import dev.muster.recovery.DeadNodeRecovery;
import dev.muster.recovery.LeaderOrStandIn;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import dev.muster.runtime.WaitInterrupted;
import dev.muster.schedule.CronJobs;
import dev.muster.schedule.Scheduler;
import dev.muster.upkeep.MetricsAggregator;
import dev.muster.upkeep.RetentionCleaner;
import dev.muster.wakeup.ClusterCoordinator.Topic;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a node does for the cluster as a whole: it takes part in elections, and does the work of a leader while it leads, or, for
 * recovery, while nobody leads.
 */
final class ClusterServices {
    private final NodeContext base;
    private final Map<LeaderRole, Leadership> leaderships;
    final Election election;
    final @Nullable DeadNodeRecovery recovery;
    final @Nullable Scheduler crons;
    final List<Service> upkeep;

    /**
     * @param jobs where crons enqueue their jobs
     * @param newWork told of lanes in which jobs have become claimable
     * @param canWrite whether this node gets connections from its pool
     */
    ClusterServices(
            NodeContext base, NodeLiveness liveness, Jobs jobs, Consumer<Set<Lane>> newWork, BooleanSupplier canWrite) {
        this.base = base;
        boolean observes = base.config.node().observes();
        boolean schedules = base.config.node().has(NodeRole.SCHEDULER);
        this.election = election(base, liveness);
        this.leaderships = Arrays.stream(LeaderRole.values())
                .collect(Collectors.toMap(
                        role -> role,
                        role -> base.unelected
                                ? new UnelectedLeader(base.store.leaders(), role, base.nodeId)
                                : election.leadership(role)));
        this.recovery = observes ? null : recovery(liveness, newWork);
        this.crons = observes || !schedules ? null : crons(jobs);
        this.upkeep = schedules ? upkeep() : List.of();
        election.onlyWhile(() -> canWrite.getAsBoolean() && !isFailing());
        if (crons != null) {
            base.coordinator.registerChangeListener(Topic.CRONS, crons::wake);
        }
    }

    private static Election election(NodeContext base, NodeLiveness liveness) {
        return new Election(
                base.store.leaders(),
                base.nodeId,
                liveness.incarnation(),
                mayLead(base),
                base.config.leader(),
                liveness.beatMoreOften(),
                liveness.contact(),
                liveness.alignment(),
                base.clock);
    }

    /** The leader roles that this node competes for. */
    private static Set<LeaderRole> mayLead(NodeContext base) {
        return base.config.node().has(NodeRole.SCHEDULER) && !base.unelected ? Set.of(LeaderRole.values()) : Set.of();
    }

    private DeadNodeRecovery recovery(NodeLiveness liveness, Consumer<Set<Lane>> newWork) {
        return new DeadNodeRecovery(
                base.nodeId,
                base.store.nodes(),
                base.store.recovery(),
                base.store.dependencies(),
                new LeaderOrStandIn(
                        leadership(LeaderRole.SCHEDULER),
                        base.store.leaders()::unfenced,
                        base.config.cluster().deadThreshold()),
                liveness.contact(),
                liveness.beatNow(),
                base.config.cluster(),
                base.config.worker(),
                new DaemonCleanup(base),
                base.listeners,
                newWork,
                liveness.alignment(),
                base.clock);
    }

    private Scheduler crons(Jobs jobs) {
        return new Scheduler(
                base.store.crons(),
                new CronJobs(base.json, base.payloads),
                jobs,
                leadership(LeaderRole.SCHEDULER),
                base.config.scheduler().tick(),
                base.config.history().retain(),
                base.clock);
    }

    private List<Service> upkeep() {
        return List.of(
                new RetentionCleaner(
                        base.store.upkeep(), leadership(LeaderRole.LOG_COMPACTOR), base.config.history(), base.clock),
                new MetricsAggregator(base.store.upkeep(), leadership(LeaderRole.METRICS_AGGREGATOR)));
    }

    /** The daemons that dead nodes held. */
    private record DaemonCleanup(NodeContext base) implements DeadNodeRecovery.DeadNodeCleanup {
        @Override
        public void release(Connection tx, String node, UUID incarnation) throws SQLException {
            base.store.daemons().release(tx, node, incarnation);
        }

        @Override
        public void released() {
            base.daemonsChanged();
        }
    }

    /** Whether this node has been unable to do a leader's work for as long as a leader's lease. */
    private boolean isFailing() {
        Duration limit = base.config.leader().lease();
        return (recovery != null && recovery.failingFor().compareTo(limit) > 0)
                || (crons != null && crons.failingFor().compareTo(limit) > 0);
    }

    /** This node's view of a leader role. */
    Leadership leadership(LeaderRole role) {
        return leaderships.get(role);
    }

    /** Whether this node leads any role. */
    boolean leads() {
        return leaderships.values().stream().anyMatch(Leadership::isLeader);
    }

    /** These claims were taken over with this node's row. */
    void takenBack(List<Recovered> claims) {
        if (recovery != null) {
            recovery.takenBack(claims);
        }
    }

    /** Starts to take part in elections, and the upkeep services of the roles that this node may win. */
    void compete() {
        election.start();
        upkeep.forEach(Service::start);
    }

    /** Starts recovery and crons, which do their work whenever this node leads or stands in. */
    void startRecoveryAndCrons() {
        if (recovery != null) {
            recovery.start();
        }
        if (crons != null) {
            crons.start();
        }
    }

    /**
     * Waits until this node leads.
     *
     * @throws MusterException if it does not lead within the time in which a vanished leader would have been replaced
     */
    void awaitLeadership() {
        long deadline = System.nanoTime()
                + base.config
                        .leader()
                        .lease()
                        .plus(base.config.leader().checkInterval())
                        .toNanos();
        while (!leadership(LeaderRole.SCHEDULER).isLeader()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new MusterException("node.mode = leader, but this node could not become the leader" + byWhom());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                throw new WaitInterrupted("leadership", e);
            }
        }
    }

    private String byWhom() {
        return base.store.nodes().leaders().stream()
                .filter(leader -> leader.role().equals(LeaderRole.SCHEDULER.text()) && leader.isHeld())
                .flatMap(leader -> leader.node().stream())
                .findFirst()
                .map(node -> "; node " + node + " leads")
                .orElse("");
    }

    /**
     * Stops the leader's services first, then gives up the leader roles, so that no other node starts before this one has ended.
     *
     * @param attempt runs a step; if a step fails, the next one runs all the same
     */
    void stop(Consumer<Runnable> attempt) {
        if (crons != null) {
            attempt.accept(crons::stop);
        }
        upkeep.forEach(service -> attempt.accept(service::stop));
        if (recovery != null) {
            attempt.accept(recovery::stop);
        }
        attempt.accept(election::stop);
    }
}
