package dev.muster.job;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as the handler of a job. The method takes a {@link
 * JobContext}, or the job's arguments, or both in that order, or nothing; what it returns is the
 * job's result.
 *
 * <pre>{@code
 * @Job("process_order")
 * Order process(JobContext ctx, OrderArgs args) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Job {

    /** The job's name, unique among the handlers of a node. */
    String value();

    /** The queue of its jobs, unless a request names another. */
    String queue() default "default";

    /** The capability that a node needs to run it, or the text of a {@link Placement} such as {@code gpu&zone=eu}; if empty, any node can. */
    String capability() default "";

    Priority priority() default Priority.NORMAL;

    /** How many times the handler may fail before the job becomes a dead letter; 1 to 1000. */
    int maxAttempts() default 3;

    /**
     * How many times a node may die while running the job before it becomes a dead letter. The default, −1, means 5, or 0 if
     * {@code maxAttempts} is 1, in which case the handler is never entered twice.
     */
    int maxCrashes() default -1;

    /** How long to wait between attempts. */
    Backoff backoff() default @Backoff;

    /** How long one attempt may run, such as "30s"; if empty, {@code worker.job_timeout} applies. */
    String timeout() default "";

    /** The failures that are retried; if empty, all are. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Failures that end the job at once, even if {@link #retryOn} names them. */
    Class<? extends Throwable>[] noRetryOn() default {};
}
