package dev.muster.cluster;

import java.util.Locale;

/** The states of a node; the package description shows how they follow each other. */
public enum NodeStatus {
    JOINING,
    ACTIVE,
    DRAINING,
    STALE,
    DEAD;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static NodeStatus parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
