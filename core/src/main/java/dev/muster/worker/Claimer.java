package dev.muster.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.job.store.ClaimSession.Exchange;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides when to poll for jobs and how many to claim. */
final class Claimer {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    static final int MAX_BATCH = 1_000;

    /** A node claims as many jobs ahead as its threads can run in this time; the rest is left to other nodes. */
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

    private final WorkerConfig config;
    private final ClaimTable claims;
    private final LocalBuffer buffer;
    private final JobThroughput throughput;
    private final IntSupplier stuckThreads;
    private final IntSupplier peers;
    private final BooleanSupplier listening;
    private final Clock clock;
    private volatile boolean draining;
    private volatile boolean suspended;
    private long pauseNanos;
    private long pollAt;
    private int wakes;
    private boolean tooManyStuck;

    Claimer(
            WorkerConfig config,
            ClaimTable claims,
            LocalBuffer buffer,
            JobThroughput throughput,
            IntSupplier stuckThreads,
            IntSupplier peers,
            BooleanSupplier listening,
            Clock clock) {
        this.config = config;
        this.claims = claims;
        this.buffer = buffer;
        this.throughput = throughput;
        this.stuckThreads = stuckThreads;
        this.peers = peers;
        this.listening = listening;
        this.clock = clock;
        this.pauseNanos = config.pollInterval().toNanos();
        this.pollAt = clock.nanos();
    }

    /** Claims nothing from now on. */
    void drain() {
        draining = true;
    }

    boolean draining() {
        return draining;
    }

    /** Claims nothing until {@link #resume()}. */
    void suspend() {
        suspended = true;
    }

    void resume() {
        suspended = false;
        wake();
    }

    boolean suspended() {
        return suspended;
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
        claims.reserve(want);
        return want;
    }

    /**
     * Reserves room for jobs that take the places which an exchange frees, although this node has enough other jobs.
     *
     * @param finishing how many claims the same exchange closes
     */
    synchronized int reserveFreed(int places, int finishing) {
        int want = Math.min(places, room(finishing));
        claims.reserve(want);
        return want;
    }

    /**
     * How many threads are free for the jobs that were just reserved.
     *
     * @param finishing how many claims the same exchange closes
     */
    int free(int want, int finishing) {
        int held = claims.count() - want - finishing - buffer.waitingSuspects();
        return Math.max(0, Math.min(want, config.concurrency() - stuckThreads.getAsInt() - held));
    }

    /** How many of the jobs that were just reserved would start soon, if that many threads are free. */
    int soon(int want, int free) {
        return Math.min(want, free + ahead());
    }

    private int ahead() {
        if (throughput.isStalled() || config.prefetch().orElse(1) == 0) {
            return 0;
        }
        int threads = config.concurrency();
        return Math.max(0, throughput.jobsWithin(AHEAD_OF_LIMIT_NANOS, threads, clock.nanos()) - threads);
    }

    /**
     * How many bytes of args and metadata may come with each of {@code want} jobs. The args of larger jobs are read by their
     * threads when they start, so that memory holds at most one of those per thread.
     */
    int maxContent(int want) {
        long left = (CONTENT_BYTES - claims.characters()) / Math.max(1, want);
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

    /** How many jobs this node could hold in addition. */
    private int room(int finishing) {
        if (draining || suspended) {
            return 0;
        }
        int stuck = stuckThreads.getAsInt();
        report(stuck);
        if (tooManyStuck) {
            return 0;
        }
        int wantedInAll = config.concurrency() - stuck + prefetch();
        // A stuck thread is not subtracted twice if its claim is still held.
        int held = claims.count() - finishing - buffer.waitingSuspects() - (stuck == 0 ? 0 : claims.givenUp());
        return Math.max(0, Math.min(wantedInAll - held, MAX_BATCH));
    }

    /** Whether all threads are busy, and the next jobs are here. */
    boolean hasSupply() {
        return buffer.waiting() > 0;
    }

    /** Why this node claims no more jobs: half of its threads are stuck, and further jobs might get stuck too. */
    Optional<String> stuck() {
        return reason(stuckThreads.getAsInt());
    }

    private Optional<String> reason(int stuck) {
        return stuck > 0 && stuck * 2 >= config.concurrency()
                ? Optional.of(stuck + " of " + config.concurrency()
                        + " threads are stuck in handlers that ignore interruption")
                : Optional.empty();
    }

    private void report(int stuck) {
        Optional<String> reason = reason(stuck);
        if (reason.isPresent() == tooManyStuck) {
            return;
        }
        tooManyStuck = reason.isPresent();
        reason.ifPresentOrElse(
                text -> log.warn("this node claims nothing more: {}", text),
                () -> log.info("this node claims again: handlers that were stuck have returned"));
    }

    /** Whether to claim suspects, which run one at a time: not while one of them is waiting here. */
    boolean wantsSuspects() {
        return buffer.waitingSuspects() == 0;
    }

    /** None while the threads are stalled: the node would claim again what it has just released for other nodes. */
    private int prefetch() {
        if (throughput.isStalled()) {
            return 0;
        }
        return config.prefetch()
                .orElseGet(() -> Math.min(
                        MAX_PREFETCH, throughput.jobsWithin(BUFFERED_NANOS, config.concurrency(), clock.nanos())));
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
        long longest = config.maxPollInterval(listening.getAsBoolean()).toNanos();
        // Idle nodes that poll for the same jobs share the polling, so each polls less often.
        long shared = Math.max(pauseNanos, Math.min(longest, pauseNanos * Math.max(1, peers.getAsInt() / 2)));
        long pause = ThreadLocalRandom.current().nextLong(shared * 9 / 10, shared * 11 / 10 + 1);
        long due = exchange.nextDue().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
        pollAt = clock.nanos() + Math.min(pause, due);
        pauseNanos = Math.min(pauseNanos * 2, longest);
    }

    /** The time until the next poll. */
    synchronized Duration untilNextPoll() {
        return Duration.ofNanos(Math.max(0, pollAt - clock.nanos()));
    }
}
