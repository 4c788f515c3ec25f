package dev.muster.config;

import java.time.Duration;
import java.util.Optional;

/**
 * The {@code [worker]} section: how this node claims and runs jobs.
 *
 * @param concurrency jobs this node runs at once, 1 to 10000. Default: 16
 * @param pollInterval shortest pause between looks for work, 10ms to 1h. Default: 200ms
 * @param maxPollInterval what that pause grows to while there is no work, 10ms to 1h, not below pollInterval; absent:
 *     see {@link #maxPollInterval(boolean)}. Default: auto
 * @param prefetch jobs claimed ahead of free slots, 0 to 100000; absent: decided from how long jobs take. Default: auto
 * @param claiming whether claims have leases (true); false for a single worker, which then refuses to start beside another
 * @param lease how long a claim holds without renewal, 500ms to 24h, at least 3 × renew. Default: 30s
 * @param renew time between renewals of the claims of running jobs, 100ms to 8h. Default: 10s
 * @param sweepInterval time between searches for expired claims, 50ms to 1h, below lease. Default: 5s
 * @param claimedTimeout how long a claimed job may wait for its start before it is given back, 100ms to 7d. Default: 5m
 * @param jobTimeout how long a job may run unless it sets its own timeout, 10ms to 365d. Default: 1h
 * @param drainTimeout how long a stopping node waits for running jobs, 0s to 24h. Default: 30s
 * @param onDisconnect what happens to running jobs when leases can no longer be renewed. Default: interrupt
 * @param wakeup how a node hears of new jobs before it polls. Default: postgres
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
        Wakeup wakeup) {

    static final Section SECTION = new Section("worker");

    static final Setting<Integer> CONCURRENCY =
            SECTION.setting("concurrency", ValueType.integer(1, 10_000), "16", "jobs this node runs at once");
    static final Setting<Duration> POLL_INTERVAL = SECTION.setting(
            "poll_interval", ValueType.duration("10ms", "1h"), "200ms", "shortest pause between looks for work");
    static final Setting<Optional<Duration>> MAX_POLL_INTERVAL = SECTION.automatic(
            "max_poll_interval",
            ValueType.duration("10ms", "1h"),
            "what that pause grows to while there is no work; auto is 10s, or 2s without wake-ups");
    static final Setting<Optional<Integer>> PREFETCH = SECTION.automatic(
            "prefetch",
            ValueType.integer(0, 100_000),
            "jobs claimed ahead of free slots; auto decides from how long jobs take");
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
            "5m",
            "how long a claimed job may wait for its start before it is given back");
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
            "running jobs when leases can no longer be renewed: interrupt or continue");
    static final Setting<Wakeup> WAKEUP = SECTION.setting(
            "wakeup",
            ValueType.choice(Wakeup.class),
            "postgres",
            "how a node hears of new jobs before it polls: postgres (LISTEN/NOTIFY) or none");

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
                values.get(WAKEUP));
    }

    /**
     * The longest pause between looks for work: the setting, or when it is automatic 10s with a wake-up listener
     * and 2s without one, never below {@link #pollInterval()}.
     */
    public Duration maxPollInterval(boolean listening) {
        Duration automatic = listening ? MAX_POLL_WITH_LISTENER : MAX_POLL_ALONE;
        return maxPollInterval.orElse(automatic.compareTo(pollInterval) < 0 ? pollInterval : automatic);
    }

    /** What happens to running jobs when leases can no longer be renewed. */
    public enum OnDisconnect {
        /** Interrupt them before their lease ends. */
        INTERRUPT,
        /** Let them finish; their outcome is refused if another node took them over. */
        CONTINUE
    }

    /** How a node hears of new jobs before it polls. */
    public enum Wakeup {
        /** LISTEN/NOTIFY. */
        POSTGRES,
        /** Not at all: it polls. */
        NONE
    }
}
