package dev.muster.graph;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The status of a graph; the package description has the state machine. */
public enum GraphStatus {
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED;

    public boolean isTerminal() {
        return this != RUNNING;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<GraphStatus> find(String text) {
        return Arrays.stream(values())
                .filter(status -> status.text().equals(text))
                .findFirst();
    }
}
