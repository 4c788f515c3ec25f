package dev.muster.schedule;

import dev.muster.job.Backoff;
import dev.muster.job.Priority;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as a cron: it runs on a schedule, once in the cluster at each tick. The method takes a
 * {@link CronContext} or nothing. Each tick enqueues an ordinary job with the cron's name, which is retried, kept in history and
 * listed like any other.
 *
 * <pre>{@code
 * @Cron("0 * * * *")
 * void hourlyReport(CronContext ctx) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Cron {

    /** Five fields, six with the second first, or a macro such as {@code @hourly} or {@code @every 30s}. */
    String value();

    /**
     * The name of the cron and its jobs; if empty, the method's name in snake case: {@code hourly_report} for {@code
     * hourlyReport}.
     */
    String name() default "";

    /** The time zone in which the fields are read. */
    String zone() default "UTC";

    /** What happens to missed ticks. */
    Misfire misfire() default Misfire.FIRE_ONCE;

    /** How many missed ticks {@link Misfire#CATCH_UP} fires at most, 1 to 1000. */
    int catchUpLimit() default 10;

    /** What a tick does while the job of an earlier one has not ended. */
    Overlap overlap() default Overlap.ALLOW;

    /** Spreads starts: a job becomes due up to this long after its tick; if empty, at its tick. */
    String jitter() default "";

    String queue() default "default";

    /** The capability that a node needs to run the job, or the text of a {@link dev.muster.job.Placement}; if empty, any node can. */
    String capability() default "";

    Priority priority() default Priority.NORMAL;

    /** How many times the method may fail before the job becomes a dead letter; 1 to 1000. */
    int maxAttempts() default 3;

    /** How many crashes make the job a dead letter: see {@link dev.muster.job.Job#maxCrashes}. */
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
