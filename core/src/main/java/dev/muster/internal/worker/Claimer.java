package dev.muster.internal.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides when an executor polls for jobs and how many it claims. */
final class Claimer {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    static final int MAX_CHUNK = 1_000;

    /** An executor claims as many jobs ahead as its threads can run in this time; the rest is left to other nodes. */
    private static final long BUFFERED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int MAX_PREFETCH = 4_000;

    /**
     * From a queue with a limit a node claims at most as many jobs ahead as its threads can run in this time: none if jobs take
     * longer, and enough to keep the threads busy until the next exchange if they are very short.
     */
    private static final long AHEAD_OF_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How many bytes of args each of the two pumps may hold for jobs that have not ended. */
    private static final long CONTENT_BYTES = Runtime.getRuntime().maxMemory() / 16;

    /** Args up to this size always come with the claim, however many jobs are held. */
    private static final int MIN_CONTENT = 1 << 10;

    private final ExecutorPlan plan;
    private final WorkerConfig config;
    private final ClaimingState claimingState;
    private final SuspectTurn suspects;
    private final LongSupplier characters;
    private final ClaimCount held;
    private final LocalBuffer buffer;
    private final JobThroughput throughput;
    private final JobSlots slots;
    private final IntSupplier peers;
    private final BooleanSupplier listening;
    private final Clock clock;
    private long pauseNanos;
    private long pollAt;
    private int wakes;
    private boolean tooManyStuck;

    /** @param peers how many idle nodes, including this one, would claim the same jobs */
    Claimer(
            ExecutorPlan plan,
            NodeExecutor.Shared node,
            ClaimCount held,
            LocalBuffer buffer,
            JobThroughput throughput,
            JobSlots slots,
            IntSupplier peers) {
        this.plan = plan;
        this.config = node.config();
        this.claimingState = node.claimingState();
        this.suspects = node.suspects();
        this.characters = node.characters();
        this.listening = node.listening();
        this.clock = node.clock();
        this.held = held;
        this.buffer = buffer;
        this.throughput = throughput;
        this.slots = slots;
        this.peers = peers;
        this.pauseNanos = config.pollInterval().toNanos();
        this.pollAt = clock.nanos();
    }

    /** Polls at once, because there may be new jobs. */
    synchronized void wake() {
        wakes++;
        pollAt = clock.nanos();
        pauseNanos = config.pollInterval().toNanos();
    }

    /** Polls within this time, because there may be new jobs that other nodes should claim first. */
    synchronized void wakeWithin(Duration time) {
        long at = clock.nanos() + time.toNanos();
        if (at - pollAt < 0) {
            pollAt = at;
        }
    }

    /**
     * Whether a poll is due and there is room for jobs.
     *
     * @param finishing how many claims the next exchange closes
     */
    synchronized boolean due(int finishing) {
        return wanted(finishing) > 0;
    }

    /**
     * Returns how many jobs to claim now, and reserves room for them.
     *
     * @param finishing how many claims the same exchange closes
     */
    synchronized int reserve(int finishing) {
        int want = wanted(finishing);
        held.reserve(want);
        return want;
    }

    /**
     * Reserves room for jobs that take the places which an exchange frees, although this node has enough other jobs.
     *
     * @param finishing how many claims the same exchange closes
     */
    synchronized int reserveFreed(int places, int finishing) {
        int want = Math.min(places, room(finishing));
        held.reserve(want);
        return want;
    }

    /**
     * How many threads are free for the jobs that were just reserved.
     *
     * @param finishing how many claims the same exchange closes
     */
    int free(int want, int finishing) {
        int others = held.get() - want - finishing - buffer.waitingSuspects();
        return Math.max(0, Math.min(want, plan.size() - slots.stuck() - others));
    }

    /** How many of the jobs that were just reserved would start soon, if that many threads are free. */
    int soon(int want, int free) {
        return Math.min(want, free + ahead());
    }

    private int ahead() {
        if (throughput.isStalled() || plan.queue().orElse(1) == 0) {
            return 0;
        }
        int size = plan.size();
        return Math.max(0, throughput.jobsWithin(AHEAD_OF_LIMIT_NANOS, size, clock.nanos()) - size);
    }

    /**
     * How many bytes of args and metadata may come with each of {@code want} jobs. The args of larger jobs are read by their
     * threads when they start, so that memory holds at most one of those per thread.
     */
    int maxContent(int want) {
        long left = (CONTENT_BYTES - characters.getAsLong()) / Math.max(1, want);
        return (int) Math.max(MIN_CONTENT, Math.min(left, Integer.MAX_VALUE));
    }

    /**
     * How many jobs to ask for; none if it is not yet time to poll.
     *
     * @param finishing how many claims the same exchange ends
     */
    private int wanted(int finishing) {
        return pollAt - clock.nanos() > 0 || buffer.waiting() > prefetch() / 2 ? 0 : room(finishing);
    }

    /** How many jobs this executor could hold in addition. */
    private int room(int finishing) {
        if (!claimingState.mayClaim()) {
            return 0;
        }
        int stuck = slots.stuck();
        report(stuck);
        if (tooManyStuck) {
            return 0;
        }
        int wantedInAll = plan.size() - stuck + prefetch();
        // A stuck thread is not subtracted twice if its claim is still held.
        int others = held.get() - finishing - buffer.waitingSuspects() - (stuck == 0 ? 0 : slots.givenUp());
        return Math.max(0, Math.min(wantedInAll - others, MAX_CHUNK));
    }

    /** Whether all threads are busy, and the next jobs are here. */
    boolean hasSupply() {
        return buffer.waiting() > 0;
    }

    /** Why this executor claims no more jobs: half of its threads are stuck, and further jobs might get stuck too. */
    Optional<String> stuck() {
        return reason(slots.stuck());
    }

    private Optional<String> reason(int stuck) {
        return stuck > 0 && stuck * 2 >= plan.size()
                ? Optional.of(stuck + " of " + plan.size() + " threads " + plan.ofExecutor()
                        + "are stuck in handlers that ignore interruption")
                : Optional.empty();
    }

    private void report(int stuck) {
        Optional<String> reason = reason(stuck);
        if (reason.isPresent() == tooManyStuck) {
            return;
        }
        tooManyStuck = reason.isPresent();
        reason.ifPresentOrElse(
                text -> log.warn("executor={} claims nothing more: {}", plan.name(), text),
                () -> log.info("executor={} claims again: handlers that were stuck have returned", plan.name()));
    }

    /** Whether to claim suspects, which run one at a time: not while one of them is waiting on this node. */
    boolean wantsSuspects() {
        return !suspects.isAwaited();
    }

    /** None while the threads are stalled: the executor would claim again what it has just released for other nodes. */
    private int prefetch() {
        if (throughput.isStalled()) {
            return 0;
        }
        return plan.queue()
                .orElseGet(() ->
                        Math.min(MAX_PREFETCH, throughput.jobsWithin(BUFFERED_NANOS, plan.size(), clock.nanos())));
    }

    /** Counts wake-ups: a wake-up during an exchange may be about jobs that the exchange did not see. */
    synchronized int wakes() {
        return wakes;
    }

    /**
     * Sets the next poll after an exchange that asked for jobs.
     *
     * @param wakesBefore {@link #wakes()} before it
     */
    synchronized void answered(Exchange exchange, int wakesBefore) {
        if (!exchange.exhausted() || wakes != wakesBefore) {
            pollAt = clock.nanos();
            return;
        }
        if (!exchange.claimed().isEmpty()) {
            pauseNanos = config.pollInterval().toNanos();
        }
        long pause = randomly(sharedPause());
        long due = exchange.nextDue().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
        pollAt = clock.nanos() + Math.min(pause, due);
        pauseNanos = Math.min(pauseNanos * 2, longestPause());
    }

    /** Idle nodes that poll for the same jobs share the polling, so each polls less often. */
    private long sharedPause() {
        return Math.max(pauseNanos, Math.min(longestPause(), pauseNanos * Math.max(1, peers.getAsInt() / 2)));
    }

    private long longestPause() {
        return config.maxPollInterval(listening.getAsBoolean()).toNanos();
    }

    private static long randomly(long nanos) {
        return ThreadLocalRandom.current().nextLong(nanos * 9 / 10, nanos * 11 / 10 + 1);
    }

    /**
     * Another executor has polled for this one too: the next poll is as far away as after an own one.
     *
     * @param untilKnownJobs the time until there may be jobs all the same; empty if none are known. A wake-up tells the session first and
     *     then this object, so it is asked under the lock that a wake-up needs
     */
    synchronized void polledByAnother(Supplier<Optional<Duration>> untilKnownJobs) {
        long due = untilKnownJobs.get().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
        if (due == 0) {
            // Only a wake-up makes the pauses short again: the jobs may be those of another executor.
            wakes++;
            pollAt = clock.nanos();
        } else {
            pollAt = clock.nanos() + Math.min(randomly(sharedPause()), due);
            pauseNanos = Math.min(pauseNanos * 2, longestPause());
        }
    }

    /** The time until the next poll. */
    synchronized Duration untilNextPoll() {
        return Duration.ofNanos(Math.max(0, pollAt - clock.nanos()));
    }
}
