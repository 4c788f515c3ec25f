package dev.muster.gateway.rpc;

import dev.muster.function.CallConflict;
import dev.muster.function.CallRefused;
import dev.muster.function.CommitUnknown;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionFailed;
import dev.muster.function.FunctionTimeout;
import dev.muster.function.FunctionUnavailable;
import dev.muster.function.InvalidArgs;
import dev.muster.function.NotServed;
import dev.muster.function.TooManyCalls;
import dev.muster.function.UnknownFunction;
import dev.muster.gateway.route.RateLimitHeaders;
import dev.muster.gateway.route.Refusal;
import java.time.Duration;

/** The statuses of calls that were refused or have failed. */
public final class FunctionRefusals {
    private FunctionRefusals() {}

    public static Refusal of(FunctionException e) {
        Refusal refusal = Refusal.of(status(e), e.code(), String.valueOf(e.getMessage()));
        if (e instanceof TooManyCalls limited) {
            Refusal waiting = refusal.retryAfter(limited.decision().retryAfter());
            RateLimitHeaders.of(limited.limit(), limited.decision()).forEach(waiting::header);
            return waiting;
        }
        if (e instanceof FunctionUnavailable || e instanceof CallConflict) {
            return refusal.retryAfter(Duration.ofSeconds(1));
        }
        return refusal;
    }

    private static int status(FunctionException e) {
        if (e instanceof UnknownFunction || e instanceof NotServed) {
            return 404;
        }
        if (e instanceof CallRefused) {
            return 403;
        }
        if (e instanceof InvalidArgs) {
            return 400;
        }
        if (e instanceof TooManyCalls) {
            return 429;
        }
        if (e instanceof FunctionTimeout) {
            return 504;
        }
        if (e instanceof CallConflict) {
            return 409;
        }
        if (e instanceof FunctionUnavailable) {
            return 503;
        }
        if (e instanceof FunctionFailed || e instanceof CommitUnknown) {
            return 500;
        }
        return e instanceof FunctionError ? 422 : 500;
    }
}
