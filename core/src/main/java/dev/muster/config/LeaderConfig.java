package dev.muster.config;

import dev.muster.internal.runtime.Durations;
import java.time.Duration;

/**
 * The {@code [leader]} section: how nodes elect leaders.
 *
 * @param strategy whether a leader holds an advisory lock in addition to its lease. Default: advisory; with {@code
 *     database.profile} portable, lease
 * @param checkInterval how often a node that does not lead checks who does, 50ms to 1h. Default: 5s
 * @param lease how long a leader stays leader without renewal, 200ms to 1h, more than renew. Default: 15s
 * @param renew time between renewals, 50ms to 1h. Default: 5s
 */
public record LeaderConfig(Strategy strategy, Duration checkInterval, Duration lease, Duration renew) {

    static final Section SECTION = new Section("leader");

    static final Setting<Strategy> STRATEGY = SECTION.setting(
            "strategy",
            ValueType.choice(Strategy.class),
            "advisory",
            "advisory: leaders also hold an advisory lock, for faster failover; lease: only the lease in the leader's row");
    static final Setting<Duration> CHECK_INTERVAL = SECTION.setting(
            "check_interval",
            ValueType.duration("50ms", "1h"),
            "5s",
            "how often a node that does not lead checks who does");
    static final Setting<Duration> LEASE = SECTION.setting(
            "lease", ValueType.duration("200ms", "1h"), "15s", "how long a leader stays leader without renewal");
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
     * How long before the end of its lease a leader stops counting itself as the leader: a tenth of the lease, but never so much
     * that a punctual renewal would come too late.
     */
    public Duration margin() {
        Duration tenth = lease.dividedBy(10);
        Duration room = lease.minus(renew).dividedBy(2);
        return Durations.shorter(tenth, room);
    }

    /** How a leader shows that it still leads. */
    public enum Strategy {
        /** By its lease and an advisory lock of its session, so that the end of its process is noticed at once. */
        ADVISORY,
        /** By its lease alone, which works behind poolers in transaction mode and on other engines. */
        LEASE
    }
}
