package dev.muster.workflow;

import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The status of a run; the package description has the state machine. */
public enum RunStatus {
    PENDING,
    /** A node holds the run's driver. Not stored. */
    RUNNING,
    SLEEPING,
    WAITING,
    COMPENSATING,
    /** No live node has a workflow of this name. */
    BLOCKED_MISSING_HANDLER,
    /** Live nodes have other versions of the workflow only. */
    BLOCKED_MISSING_VERSION,
    /** Live nodes have the version with another signature only, or its steps have changed. */
    BLOCKED_SIGNATURE_MISMATCH,
    /** A newer Muster has stored a status that this one does not know. */
    UNKNOWN,
    COMPLETED,
    COMPENSATED,
    FAILED,
    /** An operator has given the run up, because no code can resume it. */
    RETIRED_UNRESUMABLE,
    CANCELLED_BY_OPERATOR;

    public boolean isTerminal() {
        return compareTo(COMPLETED) >= 0;
    }

    public boolean isBlocked() {
        return this == BLOCKED_MISSING_HANDLER || this == BLOCKED_MISSING_VERSION || this == BLOCKED_SIGNATURE_MISMATCH;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static RunStatus stored(String text) {
        return Known.read(values(), RunStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<RunStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public static Optional<RunStatus> find(String text) {
        return known().stream().filter(status -> status.text().equals(text)).findFirst();
    }
}
