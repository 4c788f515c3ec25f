package dev.muster.workflow;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a workflow to end this run and start another one with this input; see {@link WorkflowContext#continueAsNew}. An Error, so that
 * code that catches exceptions does not take it for a failure.
 */
public final class ContinueAsNew extends Error {
    private static final long serialVersionUID = 1L;
    private final transient @Nullable Object input;

    ContinueAsNew(@Nullable Object input) {
        super("the workflow continues as a new run", null, false, false);
        this.input = input;
    }

    @Nullable
    Object input() {
        return input;
    }
}
