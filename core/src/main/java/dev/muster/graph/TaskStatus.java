package dev.muster.graph;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The status of a task; the package description has the state machine. */
public enum TaskStatus {
    /** Waits for its parents, and has no job yet. */
    WAITING,
    /** Its job waits for a node, or for its next attempt. */
    PENDING,
    /** A node runs its job. */
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED,
    /** Never ran, because its trigger cannot fire; the task says why. */
    SKIPPED;

    public boolean isTerminal() {
        return compareTo(COMPLETED) >= 0;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<TaskStatus> find(String text) {
        return Arrays.stream(values())
                .filter(status -> status.text().equals(text))
                .findFirst();
    }
}
