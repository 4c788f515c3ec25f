package dev.muster.process;

import dev.muster.job.RetryLater;
import java.io.PrintWriter;
import java.time.Duration;

/** A {@link RetryLater} that a handler has thrown in a child process. */
final class ChildRetryLater extends RetryLater {
    private static final long serialVersionUID = 1L;
    private final boolean retried;
    private final String error;

    /**
     * @param retried whether the policy of the job allows another attempt
     * @param error type, message and stack trace of what was thrown
     */
    ChildRetryLater(Duration delay, String error, boolean retried) {
        super(delay, error);
        this.retried = retried;
        this.error = error;
    }

    boolean retried() {
        return retried;
    }

    @Override
    public void printStackTrace(PrintWriter out) {
        out.println(error);
    }
}
