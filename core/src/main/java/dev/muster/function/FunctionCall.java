package dev.muster.function;

import dev.muster.access.Caller;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call of a function.
 *
 * @param argsJson the args as JSON; null or blank if there are none
 * @param caller who calls, and what they may do
 * @param requestId the id of the request, for logs
 * @param within how long the call may take, if that is less than the function's timeout
 */
public record FunctionCall(
        String name, @Nullable String argsJson, Caller caller, String requestId, Optional<Duration> within) {

    /** A call that may take as long as the function's timeout allows. */
    public FunctionCall(String name, @Nullable String argsJson, Caller caller, String requestId) {
        this(name, argsJson, caller, requestId, Optional.empty());
    }
}
