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

/** Decides when to look for work and how much of it to take. */
final class Claimer {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    static final int MAX_BATCH = 1_000;

    /** A node claims ahead what its threads get through in this time; the rest is left to other nodes. */
    private static final long BUFFERED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int MAX_PREFETCH = 4_000;

    /** What each of the two pumps may have in args of jobs that have not ended. */
    private static final long CONTENT_BYTES = Runtime.getRuntime().maxMemory() / 16;

    /** However many jobs are held: args of this size always come with the claim. */
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
    private long lookAt;
    private int wakes;
    private boolean reportedStuck;

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
        this.lookAt = clock.nanos();
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

    /** There may be work: look at once. */
    synchronized void wake() {
        wakes++;
        lookAt = clock.nanos();
        pauseNanos = config.pollInterval().toNanos();
    }

    /** There may be work, and others look for it first. */
    synchronized void wakeWithin(Duration time) {
        long at = clock.nanos() + time.toNanos();
        if (at - lookAt < 0) {
            lookAt = at;
        }
    }

    /**
     * Whether it is time to look for work, and there is room for it.
     *
     * @param finishing claims that the next exchange closes
     */
    synchronized boolean due(int finishing) {
        return wanted(finishing) > 0;
    }

    /**
     * How many jobs to ask for now, and reserves the room for them.
     *
     * @param finishing claims that the same exchange closes
     */
    synchronized int reserve(int finishing) {
        int want = wanted(finishing);
        claims.reserve(want);
        return want;
    }

    /**
     * How many bytes of args and metadata may come with each of so many jobs. Where jobs are larger, their threads read
     * them when they start, and memory holds as many of those as there are threads.
     */
    int maxContent(int want) {
        long left = (CONTENT_BYTES - claims.characters()) / Math.max(1, want);
        return (int) Math.max(MIN_CONTENT, Math.min(left, Integer.MAX_VALUE));
    }

    private int wanted(int finishing) {
        if (draining || suspended || lookAt - clock.nanos() > 0) {
            return 0;
        }
        int stuck = stuckThreads.getAsInt();
        report(stuck);
        if (reportedStuck) {
            return 0;
        }
        int prefetch = prefetch();
        int room = config.concurrency() - stuck + prefetch - (claims.count() - finishing - buffer.waitingAlone());
        return buffer.waiting() > prefetch / 2 ? 0 : Math.max(0, Math.min(room, MAX_BATCH));
    }

    /** Why nothing more is claimed: half of the threads are stuck, and so would be what is claimed next. */
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
        if (reason.isPresent() == reportedStuck) {
            return;
        }
        reportedStuck = reason.isPresent();
        reason.ifPresentOrElse(
                text -> log.warn("this node claims nothing more: {}", text),
                () -> log.info("this node claims again: handlers that were stuck have returned"));
    }

    /** A node that has such jobs waiting takes no more of them: they run one at a time. */
    boolean wantsAlone() {
        return buffer.waitingAlone() == 0;
    }

    private int prefetch() {
        return config.prefetch()
                .orElseGet(() -> Math.min(
                        MAX_PREFETCH, throughput.jobsWithin(BUFFERED_NANOS, config.concurrency(), clock.nanos())));
    }

    /** How often there was a wake-up: one that came during an exchange may be about jobs that it did not see. */
    synchronized int wakes() {
        return wakes;
    }

    /**
     * Learns from an exchange that asked for jobs.
     *
     * @param wakesBefore {@link #wakes()} before it
     */
    synchronized void answered(Exchange exchange, int wakesBefore) {
        if (!exchange.exhausted() || wakes != wakesBefore) {
            lookAt = clock.nanos();
            return;
        }
        if (!exchange.claimed().isEmpty()) {
            pauseNanos = config.pollInterval().toNanos();
        }
        long longest = config.maxPollInterval(listening.getAsBoolean()).toNanos();
        // Nodes with nothing to do that poll for the same work poll for each other.
        long shared = Math.max(pauseNanos, Math.min(longest, pauseNanos * Math.max(1, peers.getAsInt() / 2)));
        long pause = ThreadLocalRandom.current().nextLong(shared * 9 / 10, shared * 11 / 10 + 1);
        long due = exchange.nextDue().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
        lookAt = clock.nanos() + Math.min(pause, due);
        pauseNanos = Math.min(pauseNanos * 2, longest);
    }

    /** How long until the next look is due. */
    synchronized Duration untilNextLook() {
        return Duration.ofNanos(Math.max(0, lookAt - clock.nanos()));
    }
}
