package dev.muster.internal.process;

import dev.muster.runtime.MusterException;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An attempt failed in a child process. Its error is the message alone: a stack trace of the node would tell nothing. */
final class ProcessFailure extends MusterException {
    private static final long serialVersionUID = 1L;

    /** Errors of jobs are cut at this length, and then the end would be lost. */
    private static final int MAX_ERROR = 8_000;

    private final @Nullable Boolean retried;
    private final @Nullable Duration delay;

    /** A failure after which the policy of the job decides whether it is tried again. */
    ProcessFailure(String message) {
        this(message, null, null, null);
    }

    /**
     * @param retried whether another attempt is worthwhile; null if the policy of the job decides
     * @param delay the wait before it; null if the policy of the job decides
     * @param cause what the node has to know of the reason; it is not part of the error
     */
    ProcessFailure(String message, @Nullable Boolean retried, @Nullable Duration delay, @Nullable Throwable cause) {
        super(message, cause);
        this.retried = retried;
        this.delay = delay;
    }

    /** A failure that another attempt cannot change, or that comes after the work is done. */
    static ProcessFailure notRetried(String message) {
        return new ProcessFailure(message, false, null, null);
    }

    /** The sentence and as much of the end of the text as an error has room for. */
    static String withEndOf(String sentence, String text) {
        int room = MAX_ERROR - sentence.length();
        if (text.length() <= room) {
            return sentence + text;
        }
        int start = text.length() - room;
        return sentence + text.substring(Character.isLowSurrogate(text.charAt(start)) ? start + 1 : start);
    }

    @Nullable
    Boolean retried() {
        return retried;
    }

    @Nullable
    Duration delay() {
        return delay;
    }

    @Override
    public void printStackTrace(PrintWriter out) {
        out.println(getMessage());
    }
}
