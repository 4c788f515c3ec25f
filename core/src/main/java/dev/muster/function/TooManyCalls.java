package dev.muster.function;

import dev.muster.config.DurationText;
import dev.muster.limit.Decision;
import dev.muster.limit.Limit;
import java.time.Duration;

/** The function's rate limit is used up for now. */
public final class TooManyCalls extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "rate_limited";
    private final transient Limit limit;
    private final transient Decision decision;

    TooManyCalls(String function, Limit limit, Decision decision) {
        super(
                CODE,
                "'" + function + "' may be called " + limit.permits() + " time(s) per "
                        + DurationText.format(limit.window()) + "; call it again in "
                        + DurationText.format(wait(decision)),
                null);
        this.limit = limit;
        this.decision = decision;
    }

    /** In whole milliseconds, and in whole seconds if it is longer than one: nobody should come too early. */
    private static Duration wait(Decision decision) {
        long millis = decision.retryAfter().plusNanos(999_999).toMillis();
        return Duration.ofMillis(millis < 1_000 ? millis : (millis + 999) / 1_000 * 1_000);
    }

    public Limit limit() {
        return limit;
    }

    /** How many calls are left, which is none, and how long to wait for more. */
    public Decision decision() {
        return decision;
    }
}
