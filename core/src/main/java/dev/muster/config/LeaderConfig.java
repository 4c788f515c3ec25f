package dev.muster.config;

import java.time.Duration;

/**
 * The {@code [leader]} section: how nodes agree on who does the duties of a cluster.
 *
 * @param strategy what a leader holds besides its row. Default: advisory; with {@code database.profile} portable, lease
 * @param checkInterval time between looks of a node that does not lead, 50ms to 1h. Default: 5s
 * @param lease how long leadership holds without renewal, 200ms to 1h, more than renew. Default: 15s
 * @param renew time between renewals, 50ms to 1h. Default: 5s
 */
public record LeaderConfig(Strategy strategy, Duration checkInterval, Duration lease, Duration renew) {

    static final Section SECTION = new Section("leader");

    static final Setting<Strategy> STRATEGY = SECTION.setting(
            "strategy",
            ValueType.choice(Strategy.class),
            "advisory",
            "what a leader holds besides its row: advisory (a lock, for quick failover) or lease (nothing)");
    static final Setting<Duration> CHECK_INTERVAL = SECTION.setting(
            "check_interval",
            ValueType.duration("50ms", "1h"),
            "5s",
            "time between looks of a node that does not lead");
    static final Setting<Duration> LEASE = SECTION.setting(
            "lease", ValueType.duration("200ms", "1h"), "15s", "how long leadership holds without renewal");
    static final Setting<Duration> RENEW =
            SECTION.setting("renew", ValueType.duration("50ms", "1h"), "5s", "time between renewals of leadership");

    static LeaderConfig from(Values values) {
        return new LeaderConfig(values.get(STRATEGY), values.get(CHECK_INTERVAL), values.get(LEASE), values.get(RENEW));
    }

    /** Every setting at its default. */
    public static LeaderConfig defaults() {
        return MusterConfig.defaults().leader();
    }

    /**
     * By how much a leader stops trusting itself before its lease ends by the database's clock: a tenth of it, but
     * never so much that a renewal in time would come too late.
     */
    public Duration margin() {
        Duration tenth = lease.dividedBy(10);
        Duration room = lease.minus(renew).dividedBy(2);
        return tenth.compareTo(room) < 0 ? tenth : room;
    }

    /** What a leader holds besides its row. */
    public enum Strategy {
        /** A session lock on the control connection, so that the end of its process is noticed at once. */
        ADVISORY,
        /** Nothing: works behind poolers in transaction mode and on other engines. */
        LEASE
    }
}
