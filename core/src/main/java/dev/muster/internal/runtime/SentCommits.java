package dev.muster.internal.runtime;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.ReadTookTooLong;
import dev.muster.runtime.WaitInterrupted;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the current thread has committed something since some work began. An operation may be several transactions: if the database
 * stops answering after the first one, refuses a statement, or takes too long, it is not true that nothing was done, nor that the
 * operation has failed.
 *
 * <p>Stores call {@link #note} once a transaction in which they have written is committed, or may be.
 */
public final class SentCommits {
    private static final ThreadLocal<@Nullable SentCommits> CURRENT = new ThreadLocal<>();

    private boolean any;

    private SentCommits() {}

    /**
     * Runs the work. A {@link DatabaseUnavailable} that it throws is the truth: nothing of it was done. What is wrong with the request itself is
     * thrown as it is.
     *
     * @throws OutcomeUnknown if the work was broken off after something was committed, by the database, a limit of the node or an interruption
     */
    public static <T extends @Nullable Object> T during(Supplier<T> work) {
        SentCommits outer = CURRENT.get();
        SentCommits own = new SentCommits();
        CURRENT.set(own);
        try {
            return work.get();
        } catch (OutcomeUnknown e) {
            own.any = true;
            throw e;
        } catch (MusterException e) {
            throw own.any && isBrokenOff(e)
                    ? new OutcomeUnknown("it was done, or a part of it, and then: " + e.getMessage(), e)
                    : e;
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                outer.any |= own.any;
                CURRENT.set(outer);
            }
        }
    }

    /** Whether it says nothing about the request: the same one may succeed at another moment. */
    private static boolean isBrokenOff(MusterException e) {
        return e instanceof DatabaseUnavailable
                || e instanceof WaitInterrupted
                || e instanceof ReadTookTooLong
                || e instanceof LargeReads.TooMany
                || isRefusedStatement(e);
    }

    /** Other exceptions with such a cause have a meaning of their own: the args do not fit, a function's transaction was rolled back. */
    private static boolean isRefusedStatement(MusterException e) {
        if (e.getClass() != MusterException.class) {
            return false;
        }
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                return true;
            }
        }
        return false;
    }

    /** This thread has committed something, or has sent a commit and got no answer. */
    public static void note() {
        SentCommits current = CURRENT.get();
        if (current != null) {
            current.any = true;
        }
    }
}
