package dev.muster.runtime;

/**
 * A thread was interrupted while it waited for Muster. The thread's interrupt flag is set again when this is thrown, so the
 * caller may ignore the exception: the next check of the flag, or the next wait, notices the interruption.
 */
public final class WaitInterrupted extends MusterException {
    private static final long serialVersionUID = 1L;

    /** Sets the current thread's interrupt flag, which {@code cause} has cleared. */
    public WaitInterrupted(String waitedFor, InterruptedException cause) {
        super("interrupted while waiting for " + waitedFor, cause);
        Thread.currentThread().interrupt();
    }
}
