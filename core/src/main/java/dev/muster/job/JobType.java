package dev.muster.job;

import dev.muster.runtime.Names;

/**
 * What callers and the handler agree on: a job's name and its types. Share it between the service
 * that enqueues and the one that runs.
 *
 * @param <A> arguments
 * @param <R> result
 */
public record JobType<A, R>(String name, Class<A> args, Class<R> result) {

    public JobType {
        Names.require("job name", name);
    }

    public static <A, R> JobType<A, R> of(String name, Class<A> args, Class<R> result) {
        return new JobType<>(name, args, result);
    }
}
