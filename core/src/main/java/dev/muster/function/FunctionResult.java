package dev.muster.function;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateLimit;
import java.util.Optional;

/**
 * What a call has returned.
 *
 * @param json the result as JSON; {@code null} if the function has none
 * @param permit what the call took of the function's rate limit; empty if the function has no limit
 */
public record FunctionResult(String json, Optional<Permit> permit) {

    /**
     * A permit that a call took.
     *
     * @param limit the limit of the function
     * @param decision how many calls are left
     */
    public record Permit(RateLimit limit, Decision decision) {}
}
