package dev.muster.workflow;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a workflow to end this run and start another one with this input; see {@link WorkflowContext#continueAsNew}. An Error, so that
 * code that catches exceptions does not take it for a failure.
 */
public final class ContinueAsNew extends Error {
    private static final long serialVersionUID = 1L;
    private static final int MAX_CAUSES = 20;
    private final transient @Nullable Object input;

    public ContinueAsNew(@Nullable Object input) {
        super("the workflow continues as a new run", null, false, false);
        this.input = input;
    }

    /** The continuation that code has thrown, perhaps as the cause of something else; null if it has thrown none. */
    public static @Nullable ContinueAsNew in(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof ContinueAsNew next) {
                return next;
            }
            cause = cause.getCause();
        }
        return null;
    }

    public @Nullable Object input() {
        return input;
    }
}
