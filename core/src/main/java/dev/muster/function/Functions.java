package dev.muster.function;

import java.util.List;

/**
 * The queries and mutations of this node, which runs them if it has the role {@code function}. Works on a Muster that is built and not
 * started, too. An observer runs queries alone, and counts the calls of limited ones in its memory. Thread-safe.
 */
public interface Functions {

    /** The functions that were registered with this node, by name; whether it runs them is up to its role. */
    List<FunctionInfo> list();

    /**
     * Runs a function on the current thread. The package description says what a call goes through.
     *
     * @throws FunctionException if the call is refused or fails; {@link FunctionException#code} says how
     * @throws dev.muster.runtime.ObserverRefusal if this node is an observer and the function is a mutation
     * @throws dev.muster.runtime.DatabaseUnavailable if the calls of a limited function cannot be counted because the database does not
     *     answer. The function has not run then
     */
    FunctionResult call(FunctionCall call);
}
