package dev.muster.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a node does for the cluster. */
public enum NodeRole {
    /** Answers HTTP. */
    GATEWAY,
    /** Runs queries and mutations. */
    FUNCTION,
    /** Runs jobs. */
    WORKER,
    /** Stands for election, and does the leader's work if it wins. */
    SCHEDULER;

    /** The name in settings, tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty for what nodes of another version do and this one does not know. */
    public static Optional<NodeRole> find(String text) {
        return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
    }
}
