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

    /**
     * How many of its jobs may run at a time in the whole cluster, or how many of each key if there is a {@link #concurrencyKey}; 1 to
     * 10,000. The default, 0, means no limit. Further jobs wait for admission. A job that waits for its next attempt does not count.
     */
    int maxConcurrent() default 0;

    /**
     * The field of the args for each value of which {@link #maxConcurrent}, {@link #ordered} and {@link #rate} hold, such as {@code
     * customer.id}; if empty, they hold for all jobs of this name together, or for the key that a request names with {@link
     * JobRequest#concurrencyKey}. Jobs whose args have nothing there count together.
     */
    String concurrencyKey() default "";

    /**
     * Whether its jobs, or those of each key, run one after the other, in the order in which they were enqueued. A job that fails keeps its
     * place until it has completed or has become a dead letter.
     */
    boolean ordered() default false;

    /** How many of its jobs, or of each key, begin per interval, such as "100/1m"; if empty, any number. Every attempt counts. */
    String rate() default "";

    /**
     * Whether callers that belong to a tenant may start its jobs over HTTP, with any args. By default they may not, because a handler that
     * does not ask {@link JobContext#tenant} for whom it works does anything for anyone. The setting {@code tenants.jobs} opens handlers
     * that nobody can annotate.
     */
    boolean tenants() default false;

    /** The failures that are retried; if empty, all are. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Failures that end the job at once, even if {@link #retryOn} names them. */
    Class<? extends Throwable>[] noRetryOn() default {};
}
