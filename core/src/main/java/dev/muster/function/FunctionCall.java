package dev.muster.function;

import dev.muster.access.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A call of a function.
 *
 * @param argsJson the args as JSON; null or blank if there are none
 * @param caller who calls, and what they may do
 * @param requestId the id of the request, for logs
 */
public record FunctionCall(String name, @Nullable String argsJson, Caller caller, String requestId) {}
