package dev.muster.job;

import dev.muster.runtime.Names;
import java.lang.reflect.Type;

/**
 * What callers and the handler agree on: a job's name and its types. Share it between the service
 * that enqueues and the one that runs.
 *
 * <pre>{@code
 * JobType.of("welcome_mail", Welcome.class, Sent.class)
 * JobType.of("import", new TypeRef<List<Order>>() {})      // args with type parameters, no result
 * }</pre>
 *
 * @param args Void: it takes none
 * @param result Void: it has none
 * @param <A> arguments
 * @param <R> result
 */
public record JobType<A, R>(String name, Type args, Type result) {

    /** Made by the factories, which keep the types in step with {@code A} and {@code R}. */
    public JobType {
        Names.require("job name", name);
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
}
