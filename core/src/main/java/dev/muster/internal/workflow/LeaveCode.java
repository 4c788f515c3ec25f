package dev.muster.internal.workflow;

import dev.muster.workflow.RunStatus;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Thrown through a workflow's code to leave it before its end. These are Errors, so that code that catches exceptions does not take them
 * for failures of a step.
 */
abstract sealed class LeaveCode extends Error {
    private static final long serialVersionUID = 1L;

    LeaveCode(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }

    /** The run waits for a time or an event. */
    static final class Park extends LeaveCode {
        private static final long serialVersionUID = 1L;
        private final transient @Nullable Instant due;
        private final transient Set<String> events;

        /** @param due null for no limit */
        Park(@Nullable Instant due, Set<String> events) {
            super("the run waits", null);
            this.due = due;
            this.events = Set.copyOf(events);
        }

        @Nullable
        Instant due() {
            return due;
        }

        Set<String> events() {
            return events;
        }

        /** Waits for whatever comes first. */
        Park and(Park other) {
            Set<String> both = new TreeSet<>(events);
            both.addAll(other.events);
            Instant first = due == null || other.due != null && other.due.isBefore(due) ? other.due : due;
            return new Park(first, both);
        }
    }

    /** This node's code is not the right one to continue with. */
    static final class Blocked extends LeaveCode {
        private static final long serialVersionUID = 1L;
        private final RunStatus status;

        Blocked(RunStatus status, String message) {
            super(message, null);
            this.status = status;
        }

        /** The stored steps are not those of the code. */
        static Blocked mismatch(String difference) {
            return new Blocked(
                    RunStatus.BLOCKED_SIGNATURE_MISMATCH,
                    difference + "; the run continues when a node has the code that it was started with");
        }

        RunStatus status() {
            return status;
        }
    }

    /** Somebody has asked the run to end. */
    static final class Cancelled extends LeaveCode {
        private static final long serialVersionUID = 1L;

        Cancelled() {
            super("the run was cancelled", null);
        }
    }

    /** The workflow was paused. */
    static final class Paused extends LeaveCode {
        private static final long serialVersionUID = 1L;

        Paused() {
            super("the workflow is paused", null);
        }
    }

    /** The activation cannot continue: the database is away, the claim was lost, or the node stops. */
    static final class Broken extends LeaveCode {
        private static final long serialVersionUID = 1L;

        Broken(Throwable cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }
}
