package dev.muster.graph;

import dev.muster.internal.runtime.Known;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What has to happen to a task's parents before it runs. The package description has the table; the function
 * {@code muster_trigger_decision} in the database decides in the same way.
 */
public enum Trigger {
    /** All required parents have completed, and the optional ones have ended. */
    ALL_SUCCESS,
    /** A required parent has completed. */
    ANY_SUCCESS,
    /** All parents have ended. */
    ALL_DONE,
    /** A required parent has failed: for tasks that handle failures. */
    ANY_FAILED,
    /** All parents have ended, and no required one has failed. */
    NONE_FAILED,
    /** All required parents were skipped, and the optional ones have ended. */
    ALL_SKIPPED,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN;

    /** What becomes of a task. */
    public enum Decision {
        WAIT,
        READY,
        SKIP
    }

    /**
     * What a trigger looks at in a parent.
     *
     * @param required whether it counts how the parent ends
     * @param status the parent's status
     */
    public record Parent(boolean required, TaskStatus status) {}

    /** Decides what becomes of a waiting task that has these parents. */
    public Decision decide(Collection<Parent> parents) {
        boolean open = parents.stream().anyMatch(parent -> !parent.status().isTerminal());
        List<TaskStatus> required =
                parents.stream().filter(Parent::required).map(Parent::status).toList();
        boolean requiredOpen = required.stream().anyMatch(status -> !status.isTerminal());
        boolean completed = required.contains(TaskStatus.COMPLETED);
        boolean failed = required.contains(TaskStatus.FAILED);
        boolean cancelled = required.contains(TaskStatus.CANCELLED);
        boolean skipped = required.contains(TaskStatus.SKIPPED);
        return switch (this) {
            case ALL_SUCCESS -> unless(failed || cancelled || skipped, open);
            case ANY_SUCCESS -> once(completed, requiredOpen);
            case ALL_DONE -> unless(false, open);
            case ANY_FAILED -> once(failed, requiredOpen);
            case NONE_FAILED -> unless(failed, open);
            case ALL_SKIPPED -> unless(completed || failed || cancelled, open);
            case UNKNOWN -> Decision.WAIT;
        };
    }

    private static Decision unless(boolean impossible, boolean open) {
        return impossible ? Decision.SKIP : open ? Decision.WAIT : Decision.READY;
    }

    private static Decision once(boolean happened, boolean canHappen) {
        return happened ? Decision.READY : canHappen ? Decision.WAIT : Decision.SKIP;
    }

    /** Whether a task with this trigger needs a required parent: without one, nothing could decide it. */
    public boolean needsRequiredParent() {
        return this == ANY_SUCCESS || this == ANY_FAILED || this == ALL_SKIPPED;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static Trigger stored(String text) {
        return Known.read(values(), Trigger::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<Trigger> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public static Optional<Trigger> find(String text) {
        return known().stream().filter(trigger -> trigger.text().equals(text)).findFirst();
    }
}
