package dev.muster.cluster;

import java.util.Locale;

/** Where a node is in its life. */
public enum NodeStatus {
    JOINING,
    ACTIVE,
    DRAINING,
    STALE,
    DEAD;

    /** The word in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static NodeStatus parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
