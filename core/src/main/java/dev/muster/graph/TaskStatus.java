package dev.muster.graph;

import dev.muster.internal.runtime.Known;
import java.util.List;
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
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN,
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

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static TaskStatus stored(String text) {
        return Known.read(values(), TaskStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<TaskStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public static Optional<TaskStatus> find(String text) {
        return known().stream().filter(status -> status.text().equals(text)).findFirst();
    }
}
