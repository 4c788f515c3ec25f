package dev.muster.job;

import dev.muster.internal.runtime.Names;
import java.lang.reflect.Type;
import java.util.Objects;

/**
 * The name and the types of a job. Share it between the service that enqueues the job and the one that runs it.
 *
 * <pre>{@code
 * JobType.of("welcome_mail", Welcome.class, Sent.class)
 * JobType.of("import", new TypeRef<List<Order>>() {})      // args with type parameters, no result
 * }</pre>
 *
 * @param <A> the type of the args
 * @param <R> the type of the result
 */
public final class JobType<A, R> {
    private final String name;
    private final Type args;
    private final Type result;

    /** For the factory methods, which ensure that the types match {@code A} and {@code R}. */
    private JobType(String name, Type args, Type result) {
        this.name = Names.require("job name", name);
        this.args = args;
        this.result = result;
    }

    public static <A, R> JobType<A, R> of(String name, Class<A> args, Class<R> result) {
        return new JobType<>(name, args, result);
    }

    /** A job without a result. */
    public static <A> JobType<A, Void> of(String name, Class<A> args) {
        return new JobType<>(name, args, Void.class);
    }

    /** A job without a result, whose args have type parameters. */
    public static <A> JobType<A, Void> of(String name, TypeRef<A> args) {
        return new JobType<>(name, args.type(), Void.class);
    }

    public static <A, R> JobType<A, R> of(String name, TypeRef<A> args, Class<R> result) {
        return new JobType<>(name, args.type(), result);
    }

    public static <A, R> JobType<A, R> of(String name, Class<A> args, TypeRef<R> result) {
        return new JobType<>(name, args, result.type());
    }

    public static <A, R> JobType<A, R> of(String name, TypeRef<A> args, TypeRef<R> result) {
        return new JobType<>(name, args.type(), result.type());
    }

    /** The job's name. */
    public String name() {
        return name;
    }

    /** The type of the args; Void if the job takes none. */
    public Type args() {
        return args;
    }

    /** The type of the result; Void if the job has none. */
    public Type result() {
        return result;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JobType<?, ?> type
                && type.name.equals(name)
                && type.args.equals(args)
                && type.result.equals(result);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, args, result);
    }

    @Override
    public String toString() {
        return name + "(" + args.getTypeName() + ") -> " + result.getTypeName();
    }
}
