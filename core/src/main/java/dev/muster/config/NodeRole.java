package dev.muster.config;

import java.util.Locale;

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

    public static NodeRole parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
