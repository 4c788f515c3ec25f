package dev.muster.gateway.internal.rpc;

import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.gateway.internal.route.RateLimitHeaders;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;

/** The statuses of calls that were refused or have failed. */
public final class FunctionRefusals {
    private FunctionRefusals() {}

    public static Refusal of(FunctionException e) {
        Refusal refusal = Refusal.of(status(e), e.code(), String.valueOf(e.getMessage()));
        if (e instanceof FunctionException.TooManyCalls limited) {
            Refusal waiting = refusal.retryAfter(limited.decision().retryAfter());
            RateLimitHeaders.of(limited.limit(), limited.decision()).forEach(waiting::header);
            return waiting;
        }
        if (e instanceof FunctionException.Unavailable || e instanceof FunctionException.Conflict) {
            return refusal.retryAfter(Duration.ofSeconds(1));
        }
        return refusal;
    }

    private static int status(FunctionException e) {
        if (e instanceof FunctionException.UnknownFunction || e instanceof FunctionException.NotServed) {
            return 404;
        }
        if (e instanceof FunctionException.Refused) {
            return 403;
        }
        if (e instanceof FunctionException.InvalidArgs) {
            return 400;
        }
        if (e instanceof FunctionException.TooManyCalls) {
            return 429;
        }
        if (e instanceof FunctionException.Timeout) {
            return 504;
        }
        if (e instanceof FunctionException.Conflict) {
            return 409;
        }
        if (e instanceof FunctionException.Unavailable) {
            return 503;
        }
        if (e instanceof FunctionException.Failed || e instanceof FunctionException.CommitUnknown) {
            return 500;
        }
        return e instanceof FunctionError ? 422 : 500;
    }
}
