package dev.muster.leader;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a node can be the leader for. The roles are independent of each other: three nodes may hold them. */
public enum LeaderRole {
    /** Cron ticks, dead nodes, expired leases, dependencies and expiry. */
    SCHEDULER(1),
    /** Figures per minute. */
    METRICS_AGGREGATOR(2),
    /** Drops what is older than its retention. */
    LOG_COMPACTOR(3);

    private final int number;

    LeaderRole(int number) {
        this.number = number;
    }

    /** The first half of the role's advisory lock; never changes. */
    public int number() {
        return number;
    }

    /** The word in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static LeaderRole parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** The role with this name, if this version knows it. */
    public static Optional<LeaderRole> find(String text) {
        return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
    }
}
