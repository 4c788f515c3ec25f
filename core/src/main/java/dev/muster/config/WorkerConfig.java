package dev.muster.config;

import dev.muster.internal.runtime.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * The {@code [worker]} section: how this node claims and runs jobs.
 *
 * @param concurrency how many jobs this node runs at once, 1 to 10000; executors can have sizes of their own ({@link ExecutorConfig#size}).
 *     Default: 16
 * @param pollInterval pause before the next poll for jobs, 10ms to 1h; it doubles while there are none. Default: 200ms
 * @param maxPollInterval longest pause between two polls, give or take a tenth, 10ms to 1h, not below pollInterval;
 *     if absent, see {@link #maxPollInterval(boolean)}. Default: auto
 * @param prefetch how many jobs are claimed ahead of free threads, 0 to 100000; if absent, Muster decides from how long jobs
 *     take. Default: auto
 * @param claiming whether claims have leases; false for a cluster with a single worker, which refuses to start beside another
 *     one. Default: true
 * @param lease how long a claim holds without renewal, 500ms to 24h, at least 3 × renew. Default: 30s
 * @param renew time between renewals of the claims of running jobs, 100ms to 8h. Default: 10s
 * @param sweepInterval time between searches for expired claims, 50ms to 1h, below lease. Default: 5s
 * @param claimedTimeout how long a claimed job may wait for a thread before the node releases it for other nodes, 100ms to 7d. Default: 2s
 * @param jobTimeout how long a job may run unless it sets its own timeout, 10ms to 365d. Default: 1h
 * @param drainTimeout how long a stopping node waits for running jobs, 0s to 24h. Default: 30s
 * @param onDisconnect what happens to running jobs whose leases cannot be renewed. Default: interrupt
 * @param wakeup how a node is told of new jobs between two polls. Default: postgres
 * @param ageAfter how long a due job waits before the leader lifts it by one priority, 1s to 365d; if absent, it is never lifted. The
 *     setting of the node that leads counts. Default: none
 */
public record WorkerConfig(
        int concurrency,
        Duration pollInterval,
        Optional<Duration> maxPollInterval,
        Optional<Integer> prefetch,
        boolean claiming,
        Duration lease,
        Duration renew,
        Duration sweepInterval,
        Duration claimedTimeout,
        Duration jobTimeout,
        Duration drainTimeout,
        OnDisconnect onDisconnect,
        Wakeup wakeup,
        Optional<Duration> ageAfter) {

    static final Section SECTION = new Section("worker");

    static final Setting<Integer> CONCURRENCY = SECTION.setting(
            "concurrency",
            ValueType.integer(1, 10_000),
            "16",
            "how many jobs this node runs at once; executors can have sizes of their own");
    static final Setting<Duration> POLL_INTERVAL = SECTION.setting(
            "poll_interval",
            ValueType.duration("10ms", "1h"),
            "200ms",
            "pause before the next poll for jobs; it doubles while there are none");
    static final Setting<Optional<Duration>> MAX_POLL_INTERVAL = SECTION.automatic(
            "max_poll_interval",
            ValueType.duration("10ms", "1h"),
            "longest pause between two polls, give or take a tenth; auto is 10s, or 2s without wake-ups");
    static final Setting<Optional<Integer>> PREFETCH = SECTION.automatic(
            "prefetch",
            ValueType.integer(0, 100_000),
            "how many jobs are claimed ahead of free threads; auto decides from how long jobs take");
    static final Setting<Boolean> CLAIMING = SECTION.setting(
            "claiming",
            ValueType.trueOrFalse(),
            "true",
            "false for a cluster with a single worker: no leases, and no second worker may start");
    static final Setting<Duration> LEASE = SECTION.setting(
            "lease", ValueType.duration("500ms", "24h"), "30s", "how long a claim holds without renewal");
    static final Setting<Duration> RENEW = SECTION.setting(
            "renew", ValueType.duration("100ms", "8h"), "10s", "time between renewals of the claims of running jobs");
    static final Setting<Duration> SWEEP_INTERVAL = SECTION.setting(
            "sweep_interval", ValueType.duration("50ms", "1h"), "5s", "time between searches for expired claims");
    static final Setting<Duration> CLAIMED_TIMEOUT = SECTION.setting(
            "claimed_timeout",
            ValueType.duration("100ms", "7d"),
            "2s",
            "how long a claimed job may wait for a thread before the node releases it for other nodes");
    static final Setting<Duration> JOB_TIMEOUT = SECTION.setting(
            "job_timeout",
            ValueType.duration("10ms", "365d"),
            "1h",
            "how long a job may run unless it sets its own timeout");
    static final Setting<Duration> DRAIN_TIMEOUT = SECTION.setting(
            "drain_timeout", ValueType.duration("0s", "24h"), "30s", "how long a stopping node waits for running jobs");
    static final Setting<OnDisconnect> ON_DISCONNECT = SECTION.setting(
            "on_disconnect",
            ValueType.choice(OnDisconnect.class),
            "interrupt",
            "what happens to running jobs whose leases cannot be renewed: interrupt or continue");
    static final Setting<Wakeup> WAKEUP = SECTION.setting(
            "wakeup",
            ValueType.choice(Wakeup.class),
            "postgres",
            "how a node is told of new jobs between two polls: postgres (LISTEN/NOTIFY) or none");
    static final Setting<Optional<Duration>> AGE_AFTER = SECTION.optionalOrNone(
            "age_after",
            ValueType.duration("1s", "365d"),
            "how long a due job waits before it is lifted by one priority; the scheduler leader's setting counts");

    private static final Duration MAX_POLL_WITH_LISTENER = Duration.ofSeconds(10);
    private static final Duration MAX_POLL_ALONE = Duration.ofSeconds(2);

    static WorkerConfig from(Values values) {
        return new WorkerConfig(
                values.get(CONCURRENCY),
                values.get(POLL_INTERVAL),
                values.get(MAX_POLL_INTERVAL),
                values.get(PREFETCH),
                values.get(CLAIMING),
                values.get(LEASE),
                values.get(RENEW),
                values.get(SWEEP_INTERVAL),
                values.get(CLAIMED_TIMEOUT),
                values.get(JOB_TIMEOUT),
                values.get(DRAIN_TIMEOUT),
                values.get(ON_DISCONNECT),
                values.get(WAKEUP),
                values.get(AGE_AFTER));
    }

    /**
     * The longest time between two polls: the setting or, if it is auto, 10s with wake-ups and 2s without, but never less than
     * {@link #pollInterval()}.
     */
    public Duration maxPollInterval(boolean listening) {
        Duration automatic = listening ? MAX_POLL_WITH_LISTENER : MAX_POLL_ALONE;
        return maxPollInterval.orElse(Durations.longer(automatic, pollInterval));
    }

    /** What happens to running jobs whose leases cannot be renewed. */
    public enum OnDisconnect {
        /** They are interrupted before their lease ends. */
        INTERRUPT,
        /** They continue; their outcome is rejected if another node has taken them over. */
        CONTINUE
    }

    /** How a node is told of new jobs between two polls. */
    public enum Wakeup {
        /** By LISTEN/NOTIFY. */
        POSTGRES,
        /** Not at all: the node only polls. */
        NONE
    }
}
