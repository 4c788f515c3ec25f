package dev.muster.function;

import dev.muster.job.Enqueuer;

/** The context of a mutation. All that it does with its {@link #connection} and its {@link #jobs} is one transaction. */
public interface MutationContext extends FunctionContext {

    /**
     * Enqueues in the mutation's transaction: the jobs exist, and nodes are woken for them, if and when it commits.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    Enqueuer jobs();
}
