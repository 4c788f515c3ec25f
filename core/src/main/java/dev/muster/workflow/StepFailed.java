package dev.muster.workflow;

import dev.muster.runtime.MusterException;

/** A step's last attempt has failed. The workflow may catch it; each replay throws it again. */
public final class StepFailed extends MusterException {
    private static final long serialVersionUID = 1L;
    private final String path;
    private final String step;
    private final String error;

    StepFailed(String path, String step, String error) {
        super("step '" + step + "' failed: " + error);
        this.path = path;
        this.step = step;
        this.error = error;
    }

    String path() {
        return path;
    }

    /** The name of the step. */
    public String step() {
        return step;
    }

    /** The error of its last attempt, as it is stored. */
    public String error() {
        return error;
    }
}
