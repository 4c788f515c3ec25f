package dev.muster.internal.attempt;

import dev.muster.job.ClaimLost;
import dev.muster.job.Snooze;
import org.jspecify.annotations.Nullable;

/**
 * How the handler ended, which is not yet what becomes of its job.
 *
 * @param value what the handler, or an interceptor in its place, returned
 * @param failure what was thrown; null if nothing was
 * @param leftInterrupted whether the thread was still interrupted when the handler had ended; the interrupt has been cleared
 */
public record HandlerEnd(@Nullable Object value, @Nullable Throwable failure, boolean leftInterrupted) {

    /** Whether the handler found its claim lost: there is no outcome to write. */
    public boolean claimLost() {
        return failure instanceof ClaimLost;
    }

    /** Whether the handler failed; a snooze is no failure. */
    public boolean failed() {
        return failure != null && !(failure instanceof Snooze);
    }
}
