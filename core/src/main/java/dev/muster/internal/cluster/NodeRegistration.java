package dev.muster.internal.cluster;

import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.ClusterConfig;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.Joined;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.runtime.PollAlignment;
import dev.muster.internal.runtime.Service;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import dev.muster.telemetry.Telemetry.Membership;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's row: joins, sends heartbeats, acts on what other nodes and operators write into the row, joins again after
 * the node was declared dead, and leaves.
 */
public final class NodeRegistration implements Service {
    private static final Logger log = LoggerFactory.getLogger(NodeRegistration.class);

    /** Without notifications a drain command is found by polling this often. */
    private static final Duration LOOK_WITHOUT_WAKEUPS = Duration.ofSeconds(2);

    /**
     * Minimum time between two heartbeats about changed members: when many nodes join at once, not each one causes a heartbeat.
     */
    private static final Duration BETWEEN_NEWS = Duration.ofSeconds(1);

    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(500);

    private static final Duration FOREVER = Duration.ofDays(1);

    /** What this node does when others have decided about it. Called on the heartbeat thread. */
    public interface Commands {

        /** An operator wants this node to finish its work and leave. Starts the drain and does not wait for its end. */
        void drain();

        /** This node was declared dead or replaced and has lost all it held: stops its work. May be called twice. */
        void stopWork();

        /** Another process has this node's id, so this one never works or leads again. Does not wait for the end. */
        void retire();

        /** This node has joined again and may work. */
        void resumeWork();

        /** These claims were released, with a row that this node took over or by this node's leaving: their jobs can run. */
        void released(List<Recovered> claims);
    }

    private final NodeStore store;
    private final ClusterConfig config;
    private final Supplier<NodeLoad> load;
    private final BooleanSupplier holdsWork;
    private final BooleanSupplier listening;
    private final DatabaseContact contact;
    private final Commands commands;
    private final PollAlignment alignment;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final Loop heartbeats = new Loop("heartbeat", this::beat);
    private volatile Registration self;
    private volatile NodeStatus status = NodeStatus.JOINING;
    private volatile Duration interval;
    private volatile boolean joined;
    private volatile boolean draining;
    private volatile boolean idTaken;
    private volatile boolean news;
    private volatile boolean worked;
    private @Nullable Registration joiningAgain;
    private @Nullable String members;
    private boolean unsettled = true;
    private @Nullable Instant firstAsked;
    private final CountDownLatch stopWaiting = new CountDownLatch(1);
    private long lastBeat;
    private volatile long aliveUntil;

    /**
     * What a node says about itself with each heartbeat, as it is at that moment.
     *
     * @param holdsWork whether it holds anything that others would have to take over
     * @param listening whether notifications about other nodes arrive
     */
    public record Condition(Supplier<NodeLoad> load, BooleanSupplier holdsWork, BooleanSupplier listening) {}

    public NodeRegistration(
            NodeStore store,
            Registration self,
            ClusterConfig config,
            Condition condition,
            DatabasePolls polls,
            Commands commands,
            TelemetryListeners telemetry,
            Clock clock) {
        this.store = store;
        this.self = self;
        this.config = config;
        this.load = condition.load();
        this.holdsWork = condition.holdsWork();
        this.listening = condition.listening();
        this.contact = polls.contact();
        this.commands = commands;
        this.alignment = polls.alignment();
        this.telemetry = telemetry;
        this.clock = clock;
        this.interval = config.heartbeatInterval();
    }

    @Override
    public String name() {
        return "membership";
    }

    /**
     * Where others reach this node. Called before {@link #start}.
     *
     * @param address null if they cannot
     */
    public void listensAt(@Nullable String address) {
        self = self.at(address);
    }

    /** This node's current incarnation; it changes when the node was declared dead and joins again. */
    public UUID incarnation() {
        return self.incarnation();
    }

    /** This node's status, as far as this node knows. */
    public NodeStatus status() {
        return idTaken ? NodeStatus.DEAD : draining ? NodeStatus.DRAINING : status;
    }

    /**
     * Joins before it returns, so that a node that cannot reach the database fails to start.
     *
     * @throws OtherWorkers if this node may not work beside others that are alive
     */
    @Override
    public void start() {
        long asked = clock.nanos();
        Joined result = null;
        while (result == null) {
            asked = clock.nanos();
            result = joinUnlessOthersWork();
        }
        contact.joined(asked);
        firstAsked = null;
        joined = true;
        aliveUntil = asked + silenceAllowed(interval);
        lastBeat = clock.nanos();
        tellJoined(false);
        heartbeats.start();
        if (result.predecessor() != null) {
            log.warn(
                    "node={} incarnation={} took over the row of an earlier incarnation, whose last heartbeat was {} ms ago, and"
                            + " {} of its claims; if that process still runs, it stops working",
                    self.id(),
                    self.incarnation(),
                    result.predecessor().toMillis(),
                    result.released().size());
            commands.released(result.released());
        } else {
            log.info("node={} incarnation={} joined", self.id(), self.incarnation());
        }
    }

    private void tellJoined(boolean again) {
        if (telemetry.isEnabled()) {
            telemetry.joined(new Membership(self.id(), self.incarnation(), again));
        }
    }

    /** Joins; or pauses and returns null if other workers are in the way that may be dead, which only waiting can tell. */
    private @Nullable Joined joinUnlessOthersWork() {
        try {
            return store.join(self, NodeStatus.JOINING, null, firstAsked)
                    .orElseThrow(() -> new MusterException("node " + self.id() + " could not join"));
        } catch (OtherWorkers others) {
            if (others.stays()) {
                throw others;
            }
            if (firstAsked == null) {
                log.warn(
                        "node={} waits for other workers to leave, or to be silent for cluster.dead_threshold: {}; this node or"
                                + " one of them has worker.claiming = false, which allows only one worker",
                        self.id(),
                        others.described());
            }
            firstAsked = others.firstAsked();
            pauseBeforeAskingAgain();
            return null;
        }
    }

    private void pauseBeforeAskingAgain() {
        try {
            if (stopWaiting.await(BETWEEN_QUESTIONS.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new MusterException(
                        "node " + self.id() + " was closed while it waited for other workers to leave");
            }
        } catch (InterruptedException e) {
            throw new WaitInterrupted("other workers to leave", e);
        }
    }

    /** Makes a {@link #start} that waits for other workers to leave throw an exception. */
    public void stopWaiting() {
        stopWaiting.countDown();
    }

    /** Marks this node active, once all of its services have started. */
    public void activate() {
        if (store.move(self.id(), self.incarnation(), EnumSet.of(NodeStatus.JOINING), NodeStatus.ACTIVE)) {
            status = NodeStatus.ACTIVE;
        }
        // If the row has another status by now, the next heartbeat reads it.
        heartbeats.wake();
    }

    /** This node now holds work, so it returns to the short heartbeat interval. Cheap, and safe on any thread. */
    public void beatMoreOften() {
        worked = true;
        if (interval.compareTo(config.heartbeatInterval()) > 0) {
            heartbeats.wake();
        }
    }

    /** Sends a heartbeat soon, because only a node with a fresh heartbeat may judge others. Cheap, and safe on any thread. */
    public void beatNow() {
        worked = true;
        heartbeats.wake();
    }

    /** Another node has joined, left or changed its status. */
    public void newsOfNodes() {
        if (!news) {
            news = true;
            heartbeats.wake();
        }
    }

    private Duration beat() {
        if (idTaken) {
            return FOREVER;
        }
        if (joiningAgain != null) {
            return joinAgain(joiningAgain);
        }
        if (news && untilNextNews() > 0) {
            return Duration.ofNanos(untilNextNews());
        }
        news = false;
        Duration next = nextInterval();
        HeartbeatAnswer pulse;
        NodeLoad current = load.get();
        SinceLastHeartbeat since = contact.sinceLastHeartbeat();
        long asked = clock.nanos();
        if (next.compareTo(interval) < 0) {
            // The database may store the shorter interval even if its answer is lost.
            aliveUntil -= Math.max(0, aliveUntil - asked - silenceAllowed(next));
        }
        try {
            pulse = store.heartbeat(self.id(), self.incarnation(), current, next, since);
            contact.written(since, asked);
        } catch (RuntimeException e) {
            contact.lost();
            throw e;
        }
        interval = next;
        lastBeat = clock.nanos();
        return switch (pulse.rowState()) {
            case OWN -> {
                aliveUntil = asked + silenceAllowed(next);
                yield heard(pulse);
            }
            case DEAD -> died();
            case TAKEN -> replaced();
        };
    }

    private long silenceAllowed(Duration interval) {
        return Math.max(config.deadThreshold().toNanos(), 3 * interval.toNanos());
    }

    /**
     * Before this time of this node's monotonic clock, no other node declares this one dead. It counts from the moment at which
     * the last answered heartbeat was sent. By then this node must have stopped whatever must not run in two places at once.
     */
    public long aliveUntil() {
        return aliveUntil;
    }

    private long untilNextNews() {
        long spacing =
                Math.min(BETWEEN_NEWS.toNanos(), config.heartbeatInterval().toNanos() / 2);
        return lastBeat + spacing - clock.nanos();
    }

    /** Grows only while no node joins or leaves and this node holds nothing that another would have to take over. */
    private Duration nextInterval() {
        boolean busy = worked || holdsWork.getAsBoolean();
        worked = false;
        if (busy || unsettled || status() != NodeStatus.ACTIVE) {
            return config.heartbeatInterval();
        }
        Duration longer = interval.multipliedBy(2);
        return Durations.shorter(longer, config.maxHeartbeatInterval());
    }

    private Duration heard(HeartbeatAnswer pulse) {
        unsettled = !pulse.members().equals(members);
        members = pulse.members();
        if (pulse.status() == NodeStatus.DRAINING) {
            toldToDrain();
        } else if (pulse.status() == NodeStatus.ACTIVE) {
            status = NodeStatus.ACTIVE;
        }
        if ((unsettled || worked) && interval.compareTo(config.heartbeatInterval()) > 0) {
            // The row already has the longer interval: the next heartbeat, at once, writes the shorter one.
            return Duration.ZERO;
        }
        boolean hears = listening.getAsBoolean() || interval.compareTo(LOOK_WITHOUT_WAKEUPS) < 0;
        return alignment.align(hears ? interval : LOOK_WITHOUT_WAKEUPS);
    }

    private Duration died() {
        if (draining) {
            // The node was leaving anyway, and the node that declared it dead has released its claims.
            commands.stopWork();
            return config.heartbeatInterval();
        }
        log.warn(
                "node={} incarnation={} was declared dead; it stops its handlers and joins again",
                self.id(),
                self.incarnation());
        status = NodeStatus.JOINING;
        joiningAgain = self.as(UUID.randomUUID());
        return joinAgain(joiningAgain);
    }

    /** Joins again; repeated with the same incarnation until the database's answer arrives. */
    private Duration joinAgain(Registration again) {
        commands.stopWork();
        long asked = clock.nanos();
        Optional<Joined> result;
        try {
            result = store.join(
                    again, draining ? NodeStatus.DRAINING : NodeStatus.ACTIVE, self.incarnation(), firstAsked);
        } catch (OtherWorkers others) {
            if (firstAsked == null) {
                log.error(
                        "node={} cannot join again and runs nothing until it can: {}", self.id(), others.getMessage());
            }
            firstAsked = others.firstAsked();
            return BETWEEN_QUESTIONS;
        }
        firstAsked = null;
        if (result.isEmpty()) {
            return replaced();
        }
        contact.joined(asked);
        self = again;
        joiningAgain = null;
        unsettled = true;
        lastBeat = clock.nanos();
        interval = config.heartbeatInterval();
        aliveUntil = asked + silenceAllowed(interval);
        status = NodeStatus.ACTIVE;
        log.warn("node={} incarnation={} joined again", self.id(), self.incarnation());
        tellJoined(true);
        // Jobs that this node claimed after it was declared dead and before it knew.
        commands.released(result.get().released());
        if (result.get().status() == NodeStatus.DRAINING) {
            toldToDrain();
        } else {
            commands.resumeWork();
        }
        return interval;
    }

    private void toldToDrain() {
        if (!draining) {
            draining = true;
            log.info("node={} was told to drain", self.id());
            commands.drain();
        }
    }

    private Duration replaced() {
        idTaken = true;
        commands.stopWork();
        commands.retire();
        log.error(
                "node={} a newer process runs under this id, so this one has stopped working. Give each process its own"
                        + " node.id",
                self.id());
        return FOREVER;
    }

    /** Marks this node as draining, so that others see that it takes no more work. */
    public void drain() {
        draining = true;
        if (joined && !idTaken) {
            try {
                store.move(
                        self.id(),
                        self.incarnation(),
                        EnumSet.of(NodeStatus.JOINING, NodeStatus.ACTIVE, NodeStatus.STALE),
                        NodeStatus.DRAINING);
            } catch (MusterException e) {
                log.warn("node={} could not be marked as draining: {}", self.id(), e.getMessage());
            }
        }
    }

    @Override
    public void stop() {
        draining = true;
        heartbeats.stop();
        if (joined) {
            joined = false;
            try {
                List<Recovered> released = store.leave(self.id(), self.incarnation());
                log.info("node={} left", self.id());
                if (telemetry.isEnabled()) {
                    telemetry.left(new Membership(self.id(), self.incarnation(), false));
                }
                commands.released(released);
            } catch (MusterException e) {
                log.warn("node={} could not remove its row: {}", self.id(), e.getMessage());
            }
        }
    }

    @Override
    public Health health() {
        if (idTaken) {
            return Health.failing("another process runs as node " + self.id() + "; this one has stopped working");
        }
        return heartbeats.health();
    }
}
