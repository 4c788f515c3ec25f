package dev.muster.workflow;

import dev.muster.runtime.MusterException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A step's last attempt has failed. The workflow may catch it; each replay throws it again. The step's own exception may have been thrown long ago
 * on another node: what is stored of it is the text of the cause.
 */
public final class StepFailed extends MusterException {
    private static final long serialVersionUID = 1L;

    /** Enough frames to tell where the code called the step; below them are those of Muster. What is stored must have room for the cause. */
    private static final int FRAMES = 16;

    private final String path;
    private final String step;
    private final String error;

    public StepFailed(String path, String step, String error) {
        super("step '" + step + "' failed: " + error.lines().findFirst().orElse(""), cause(error));
        this.path = path;
        this.step = step;
        this.error = error;
        StackTraceElement[] trace = getStackTrace();
        setStackTrace(Arrays.copyOf(trace, Math.min(FRAMES, trace.length)));
    }

    /** What follows "Caused by:" in a stack trace: the stored text, which has a stack trace of its own. */
    private static final class Stored extends Exception {
        private static final long serialVersionUID = 1L;

        Stored(String text) {
            super(text, null, false, false);
        }

        @Override
        public String toString() {
            return String.valueOf(getMessage());
        }
    }

    private static @Nullable Throwable cause(String error) {
        return error.lines().count() > 1 ? new Stored(error) : null;
    }

    public String path() {
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
