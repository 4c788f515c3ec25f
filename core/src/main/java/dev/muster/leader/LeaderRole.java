package dev.muster.leader;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The roles for which a leader is elected. They are independent: different nodes may lead them. */
public enum LeaderRole {
    /** Fires crons, recovers dead nodes and expired leases, frees waiting jobs and ends expired ones. */
    SCHEDULER(1),
    /** Computes the metrics of each minute. */
    METRICS_AGGREGATOR(2),
    /** Deletes history, logs and metrics that are older than their retention. */
    LOG_COMPACTOR(3);

    private final int number;

    LeaderRole(int number) {
        this.number = number;
    }

    /** The first half of the role's advisory lock; never changes. */
    public int number() {
        return number;
    }

    /** The name in tables and JSON. */
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
