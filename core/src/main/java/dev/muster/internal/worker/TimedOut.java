package dev.muster.internal.worker;

import dev.muster.runtime.MusterException;
import java.time.Duration;

/** An attempt that ran longer than its timeout. */
final class TimedOut extends MusterException {
    private static final long serialVersionUID = 1L;

    TimedOut(Duration timeout) {
        super("timed out after " + timeout.toMillis() + " ms");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
