package dev.muster.internal.recovery;

import dev.muster.cluster.NodeStatus;
import dev.muster.config.ClusterConfig;
import dev.muster.config.WorkerConfig;
import dev.muster.internal.cluster.DatabaseContact;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.MarkedNode;
import dev.muster.internal.cluster.NodeStore.OverdueNode;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.node.DeadNode;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.LoopService;
import dev.muster.internal.runtime.PollAlignment;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.JobListener;
import dev.muster.job.Lane;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Telemetry.Peer.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds nodes that are overdue, marks them stale or dead and takes back their claims; also takes back claims whose lease ran
 * out. See the package description.
 *
 * <p>Who does this: {@link LeaderOrStandIn}. The rule who is dead: {@code muster_verdicts} in {@code R__functions_dead_nodes.sql},
 * applied by {@code nodes/mark_overdue.sql}, with the limits {@code cluster.stale_threshold} and {@code cluster.dead_threshold}.
 */
public final class DeadNodeRecovery extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(DeadNodeRecovery.class);
    private static final int CHUNK = 500;

    /** How often an off-duty node checks whether it is on duty now. The check needs no statement. */
    private static final Duration OFF_DUTY_PAUSE = Duration.ofMillis(250);

    /** Shortest pause before the next check: another transaction may have the row locked. */
    private static final Duration MIN_PAUSE = Duration.ofMillis(50);

    /** Pause after a node that is overdue could not be marked, or this node's own heartbeat is too old. */
    private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

    /** Connection pools retry a lost database only about every 5 s, so nodes come back one after the other. */
    private static final Duration RECONNECT = Duration.ofSeconds(10);

    /** A holder renews its leases as soon as it can, but may first have to wait for a statement to time out. */
    private static final Duration LATE_RENEWAL = Duration.ofSeconds(5);

    private final String self;
    private final NodeStore nodes;
    private final RecoveryStore recovery;
    private final LeaderOrStandIn leaderOrStandIn;
    private final DatabaseContact contact;
    private final Runnable beatNow;
    private final SilenceLimits limits;
    private final Duration checkEvery;
    private final Duration renewalsWithin;
    private final DeadNodeCleanup cleanup;
    private final TelemetryListeners telemetry;
    private final RecoveredJobs recoveredJobs;
    private final OverdueJobs overdueJobs;
    private final PollAlignment alignment;
    private final Clock clock;
    private final Set<String> failed = new HashSet<>();
    private boolean onDuty;
    private volatile boolean cannotJudge;
    private boolean cannotJudgeReported;
    private long couldJudgeAt;

    /** What a node may hold besides its claims when it dies. */
    public interface DeadNodeCleanup {

        /** Releases it, in the transaction that marks the node dead. */
        void release(Connection tx, DeadNode node) throws SQLException;

        /** Called after that transaction has committed. */
        void released(DeadNode node);

        /** Called with what is due on the node that is on duty. */
        void due(Set<Duty> duties);
    }

    /** The ports of the store that recovery uses. */
    public record Stores(NodeStore nodes, RecoveryStore recovery, DependencyStore dependencies) {}

    /**
     * What a node needs to judge others.
     *
     * @param beatNow makes this node send a heartbeat, because only a node with a fresh heartbeat may judge; returns at once
     * @param polls whether it has been in touch with the database
     * @param cleanup releases what dead nodes held besides claims
     */
    public record Judging(Runnable beatNow, DatabasePolls polls, DeadNodeCleanup cleanup) {}

    /**
     * Who is told of what was taken back.
     *
     * @param jobs told of jobs that ended here; must be quick
     * @param newWork told of lanes in which jobs have become claimable
     */
    public record Listeners(JobListener jobs, TelemetryListeners telemetry, Consumer<Set<Lane>> newWork) {}

    public DeadNodeRecovery(
            String self,
            Stores stores,
            LeaderOrStandIn leaderOrStandIn,
            Judging judging,
            ClusterConfig cluster,
            WorkerConfig config,
            Listeners listeners,
            Clock clock) {
        super("recovery");
        this.self = self;
        this.nodes = stores.nodes();
        this.recovery = stores.recovery();
        this.leaderOrStandIn = leaderOrStandIn;
        this.contact = judging.polls().contact();
        this.beatNow = judging.beatNow();
        this.limits = SilenceLimits.of(cluster);
        this.checkEvery = Durations.shorter(config.sweepInterval(), limits.stale());
        this.renewalsWithin = Durations.shorter(config.lease(), config.renew().plus(LATE_RENEWAL));
        this.cleanup = judging.cleanup();
        this.telemetry = listeners.telemetry();
        this.recoveredJobs = new RecoveredJobs(stores.dependencies(), listeners.jobs(), telemetry, listeners.newWork());
        this.overdueJobs =
                new OverdueJobs(recovery, stores.dependencies(), leaderOrStandIn, contact, recoveredJobs, clock);
        this.alignment = judging.polls().alignment();
        this.clock = clock;
    }

    @Override
    public void start() {
        loop().start();
        overdueJobs.start();
    }

    @Override
    public void stop() {
        overdueJobs.stop();
        loop().stop();
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public Duration unfitToLeadFor() {
        return loop().failingFor();
    }

    @Override
    public Health health() {
        if (!loop().health().ok()) {
            return loop().health();
        }
        return cannotJudge ? Health.failing("recovery: " + whyItCannotJudge()) : overdueJobs.health();
    }

    private String whyItCannotJudge() {
        return "no node can be declared dead, because for "
                + limits.dead().multipliedBy(4).toSeconds()
                + " s this node's contact with the database has kept breaking, or its clock has been set";
    }

    @Override
    protected Duration step() {
        if (!leaderOrStandIn.isMine()) {
            offDuty();
            return OFF_DUTY_PAUSE;
        }
        if (!onDuty) {
            onDuty = true;
            couldJudgeAt = clock.nanos();
        }
        try {
            return check();
        } catch (StaleLeader e) {
            log.debug("the duty went to another node", e);
            offDuty();
            return OFF_DUTY_PAUSE;
        } catch (DatabaseUnavailable e) {
            contact.lost();
            throw e;
        }
    }

    private void offDuty() {
        onDuty = false;
        cannotJudge = false;
    }

    private Duration check() {
        long begin = clock.nanos();
        OverdueWork overdueWork = nodes.overdueWork(self, limits);
        contact.answered(begin);
        Optional<Duration> inTouch = mayJudge() ? overdueWork.inTouch() : Optional.empty();
        boolean somethingToDo = !overdueWork.overdue().isEmpty() || overdueWork.isDue(Duty.RECOVER_LEASES);
        noteWhetherItCanJudge(inTouch, somethingToDo);
        boolean leasesCount = inTouch.isPresent() && leasesCount(inTouch.get());
        Instant asked = overdueWork.asked();
        cleanup.due(overdueWork.duties());
        overdueJobs.due(
                overdueWork.isDue(Duty.EXPIRE_JOBS),
                overdueWork.isDue(Duty.RESOLVE_WAITING),
                leasesCount ? Optional.of(asked) : Optional.empty());
        if (inTouch.isEmpty() && somethingToDo) {
            beatNow.run();
            return RETRY_PAUSE;
        }
        if (inTouch.isEmpty()) {
            return alignment.align(untilNext(overdueWork));
        }
        boolean allMarked = markAllOverdue(overdueWork);
        if (overdueWork.isDue(Duty.RECOVER_LEASES) && leasesCount) {
            orReport("leases", () -> sweepLeases(asked));
        }
        return allMarked ? alignment.align(untilNext(overdueWork)) : RETRY_PAUSE;
    }

    /** After an outage this node gives the others time to reconnect before it judges them, even if the thresholds are shorter. */
    private boolean mayJudge() {
        return contact.isUnbroken()
                && (limits.dead().compareTo(RECONNECT) >= 0
                        || contact.sinceLost().compareTo(RECONNECT) >= 0);
    }

    /** Whether the holders of leases have had enough time to renew them since the database came back. */
    private boolean leasesCount(Duration inTouch) {
        return inTouch.compareTo(renewalsWithin) >= 0
                && contact.sinceLost().compareTo(Durations.longer(RECONNECT, renewalsWithin)) >= 0;
    }

    private void noteWhetherItCanJudge(Optional<Duration> inTouch, boolean somethingToDo) {
        long now = clock.nanos();
        if (inTouch.isPresent() ? inTouch.get().compareTo(limits.dead()) >= 0 : !somethingToDo) {
            couldJudgeAt = now;
        }
        cannotJudge = now - couldJudgeAt > limits.dead().multipliedBy(4).toNanos();
        if (cannotJudge && !cannotJudgeReported) {
            log.warn("node={} {}", self, whyItCannotJudge());
        }
        cannotJudgeReported = cannotJudge;
    }

    /** A task that fails must not prevent the other tasks. */
    private static boolean orReport(String what, Runnable task) {
        try {
            task.run();
            return true;
        } catch (StaleLeader | DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            log.warn("duty={} failed, will be tried again: {}", what, e.getMessage());
            return false;
        }
    }

    /** Judges nodes whose judgement failed last time after the others. Returns whether all overdue nodes have been marked. */
    private boolean markAllOverdue(OverdueWork overdueWork) {
        List<String> overdue = overdueWork.overdue().stream()
                .sorted((a, b) -> Boolean.compare(failed.contains(a), failed.contains(b)))
                .toList();
        failed.retainAll(overdue);
        boolean all = true;
        for (String node : overdue) {
            boolean[] marked = new boolean[1];
            if (!orReport("mark node " + node, () -> marked[0] = markOverdue(node))) {
                failed.add(node);
            }
            all &= marked[0];
        }
        if (overdueWork.isDue(Duty.REMOVE_DEAD_NODES)) {
            orReport(
                    "removal of the dead",
                    () -> leaderOrStandIn
                            .run(nodes::removeDead)
                            .forEach(id -> log.info("peer={} had been dead for an hour; its row is removed", id)));
        }
        return all;
    }

    /** Marks a node and, if it is dead, releases all it held, in one transaction. */
    private boolean markOverdue(String node) {
        if (!contact.isUnbroken()) {
            return false;
        }
        OverdueNode overdue = leaderOrStandIn.run(tx -> {
            OverdueNode result = nodes.markOverdue(tx, self, limits, node);
            for (DeadNode dead : dead(result)) {
                cleanup.release(tx, dead);
            }
            return result;
        });
        recoveredJobs.takenBack(overdue.released());
        overdue.marked().ifPresent(this::report);
        dead(overdue).forEach(cleanup::released);
        return overdue.marked().isPresent();
    }

    /** The node, if it is dead now. */
    private static List<DeadNode> dead(OverdueNode overdue) {
        return overdue
                .marked()
                .filter(node -> node.now() == NodeStatus.DEAD)
                .map(node -> new DeadNode(node.id(), node.incarnation()))
                .stream()
                .toList();
    }

    /** The time until the next regular check, or until the first node can be overdue. */
    private Duration untilNext(OverdueWork overdueWork) {
        Duration overdue = overdueWork.nextOverdue().orElse(checkEvery);
        return Durations.shorter(checkEvery, Durations.longer(overdue, MIN_PAUSE));
    }

    private void sweepLeases(Instant endedBefore) {
        RecoveryReport report = new RecoveryReport();
        try {
            List<Recovered> recovered;
            do {
                recovered = leaderOrStandIn.run(tx -> recovery.recoverExpired(tx, endedBefore, CHUNK, false));
                recoveredJobs.takenBack(recovered, report);
            } while (recovered.size() >= CHUNK);
        } finally {
            report.log();
        }
    }

    /** These claims were taken over with this node's row. */
    public void takenBack(List<Recovered> recovered) {
        recoveredJobs.takenBack(recovered);
    }

    private void report(MarkedNode node) {
        if (telemetry.isEnabled() && node.now() != NodeStatus.UNKNOWN) {
            telemetry.peerChanged(
                    new Telemetry.Peer(node.id(), node.incarnation(), stateOf(node.now()), node.silence()));
        }
        if (node.now() == NodeStatus.ACTIVE) {
            log.info("peer={} incarnation={} was seen again", node.id(), node.incarnation());
        } else {
            log.warn(
                    "peer={} incarnation={} silent_ms={} was {} is {}",
                    node.id(),
                    node.incarnation(),
                    node.silence().toMillis(),
                    node.before().text(),
                    node.now().text());
        }
    }

    private static State stateOf(NodeStatus now) {
        return switch (now) {
            case DEAD -> State.DEAD;
            case STALE -> State.STALE;
            case JOINING, ACTIVE, DRAINING, UNKNOWN -> State.BACK;
        };
    }
}
