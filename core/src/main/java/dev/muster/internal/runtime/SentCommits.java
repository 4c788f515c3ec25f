package dev.muster.internal.runtime;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.WaitInterrupted;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the current thread has committed something since some work began. An operation may be several transactions: if the database
 * stops answering after the first one, it is not true that nothing was done.
 *
 * <p>Stores call {@link #note} once a transaction in which they have written is committed, or may be.
 */
public final class SentCommits {
    private static final ThreadLocal<@Nullable SentCommits> CURRENT = new ThreadLocal<>();

    private boolean any;

    private SentCommits() {}

    /**
     * Runs the work. A {@link DatabaseUnavailable} that it throws is the truth: nothing of it was done.
     *
     * @throws OutcomeUnknown if the database stopped answering, or the thread was interrupted, after something was committed
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
        } catch (DatabaseUnavailable | WaitInterrupted e) {
            throw own.any ? new OutcomeUnknown("it was done, or a part of it, and then: " + e.getMessage(), e) : e;
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                outer.any |= own.any;
                CURRENT.set(outer);
            }
        }
    }

    /** This thread has committed something, or has sent a commit and got no answer. */
    public static void note() {
        SentCommits current = CURRENT.get();
        if (current != null) {
            current.any = true;
        }
    }
}
