package dev.muster.workflow;

import dev.muster.internal.runtime.Names;
import dev.muster.job.TypeRef;
import java.lang.reflect.Type;

/**
 * The name and the types of a workflow. Share it between the services that start it and the one that runs it.
 *
 * @param <I> the type of the input
 * @param <R> the type of the result
 */
public record WorkflowType<I, R>(String name, Type input, Type result) {

    public WorkflowType {
        Names.require("workflow name", name);
    }

    public static <I, R> WorkflowType<I, R> of(String name, Class<I> input, Class<R> result) {
        return new WorkflowType<>(name, input, result);
    }

    /** A workflow without a result. */
    public static <I> WorkflowType<I, Void> of(String name, Class<I> input) {
        return new WorkflowType<>(name, input, Void.class);
    }

    public static <I, R> WorkflowType<I, R> of(String name, TypeRef<I> input, TypeRef<R> result) {
        return new WorkflowType<>(name, input.type(), result.type());
    }
}
