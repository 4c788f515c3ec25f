package dev.muster.graph;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The status of a graph; the package description has the state machine. */
public enum GraphStatus {
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    public boolean isTerminal() {
        return this != RUNNING && this != UNKNOWN;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static GraphStatus stored(String text) {
        return Known.read(values(), GraphStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<GraphStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public static Optional<GraphStatus> find(String text) {
        return known().stream().filter(status -> status.text().equals(text)).findFirst();
    }
}
