package dev.muster.cluster;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;

/** The states of a node; the package description shows how they follow each other. */
public enum NodeStatus {
    JOINING,
    ACTIVE,
    DRAINING,
    STALE,
    DEAD,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static NodeStatus stored(String text) {
        return Known.read(values(), NodeStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<NodeStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }
}
