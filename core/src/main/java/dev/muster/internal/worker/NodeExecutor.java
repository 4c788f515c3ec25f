package dev.muster.internal.worker;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.WorkerConfig;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * One of a node's executors: it runs the jobs of some names. What it claims ahead, what waits in its buffer and how fast it is do not
 * depend on the node's other executors.
 */
final class NodeExecutor {
    private final ExecutorPlan plan;
    private final String name;
    private final ClaimSession session;
    private final LocalBuffer buffer;
    private final ClaimCount held = new ClaimCount();
    private final JobThroughput throughput = new JobThroughput();
    private final SuspectTurn suspects;
    private final JobSlots slots;
    private final SlotFeeder feeder;
    private final Claimer claimer;

    /**
     * What the executors of a node share.
     *
     * @param characters how many characters of args and metadata the node holds
     * @param listening whether notifications about new jobs arrive
     */
    record Shared(
            WorkerConfig config,
            ClaimingState claimingState,
            SuspectTurn suspects,
            Completer completer,
            JobRunner runner,
            LongSupplier characters,
            BooleanSupplier listening,
            Clock clock) {}

    NodeExecutor(ExecutorPlan plan, ClaimSession session, Shared node) {
        this.plan = plan;
        this.name = plan.name();
        this.session = session;
        this.suspects = node.suspects();
        this.buffer = new LocalBuffer(suspects);
        this.slots = new JobSlots(plan.size(), node.runner(), node.completer()::roomMade);
        this.feeder = feeder(plan, node);
        this.claimer = new Claimer(plan, node, held, buffer, throughput, slots, session::peers);
    }

    private SlotFeeder feeder(ExecutorPlan plan, Shared node) {
        BooleanSupplier overfull = node.completer()::isFull;
        if (plan.custom().isPresent()) {
            return new HandedOverJobs(name, plan.custom().get(), slots, buffer, node.runner(), overfull, node.clock());
        }
        String prefix = plan.isDefault() ? "muster-job-" : "muster-job-" + name + "-";
        return new JobThreads(
                slots,
                buffer,
                plan.kind() == Kind.VIRTUAL ? new VirtualThreads(prefix) : JobThreads.platform(prefix),
                overfull);
    }

    String name() {
        return name;
    }

    ClaimSession session() {
        return session;
    }

    LocalBuffer buffer() {
        return buffer;
    }

    ClaimCount held() {
        return held;
    }

    JobThroughput throughput() {
        return throughput;
    }

    JobSlots slots() {
        return slots;
    }

    SlotFeeder feeder() {
        return feeder;
    }

    Claimer claimer() {
        return claimer;
    }

    /** The claims whose handler is on a thread now, including claims that have ended. */
    List<OpenClaim> running() {
        return slots.current();
    }

    /** How many of its claims neither wait nor run any more, including the room reserved for claims that it has requested. */
    int ended() {
        int open = buffer.waiting() + buffer.waitingSuspects();
        for (OpenClaim claim : running()) {
            open += claim.isBuffered() || claim.isRunning() ? 1 : 0;
        }
        return Math.max(0, held.get() - open);
    }

    /** What it runs now. */
    ExecutorInfo info() {
        return new ExecutorInfo(
                name,
                plan.kind().name().toLowerCase(Locale.ROOT),
                plan.size(),
                running().size(),
                slots.stuck());
    }

    /** There may be jobs in these lanes; if none are named, in any lane. */
    void wake(Set<Lane> lanes) {
        session.wake(lanes);
        claimer.wake();
    }

    /** There may be jobs in these lanes, and all nodes were notified, so that they take turns. Returns whether this one gets a turn. */
    boolean wakeInTurn(Set<Lane> lanes) {
        Optional<Duration> turn = session.wakeInTurn(lanes);
        turn.ifPresent(pause -> {
            if (pause.isZero()) {
                claimer.wake();
            } else {
                claimer.wakeWithin(pause);
            }
        });
        return turn.isPresent();
    }

    /** A claim of this executor is no longer held. */
    void closed(OpenClaim claim) {
        held.closed();
        suspects.closed(claim);
    }
}
