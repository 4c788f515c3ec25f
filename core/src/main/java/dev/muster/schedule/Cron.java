package dev.muster.schedule;

import dev.muster.job.Backoff;
import dev.muster.job.Priority;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as one to be run on a schedule, once in the cluster at each tick. The method
 * takes a {@link CronContext} or nothing. Each tick gives an ordinary job under the cron's name: it is retried, kept in
 * history and listed like any other.
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

    /** The cron's name, and its jobs'; empty: the method's, {@code hourlyReport} as {@code hourly_report}. */
    String name() default "";

    /** Where the fields are read. */
    String zone() default "UTC";

    /** What becomes of ticks that were missed. */
    Misfire misfire() default Misfire.FIRE_ONCE;

    /** How many missed ticks {@link Misfire#CATCH_UP} fires at most, 1 to 1000. */
    int catchUpLimit() default 10;

    /** What a tick does while the job of an earlier one has not ended. */
    Overlap overlap() default Overlap.ALLOW;

    /** Spreads starts: a job becomes due up to this long after its tick; empty: at once. */
    String jitter() default "";

    String queue() default "default";

    /** The capability a node must have to run it; empty: any node. */
    String capability() default "";

    Priority priority() default Priority.NORMAL;

    /** How many times the method may fail before the job becomes a dead letter; 1 to 1000. */
    int maxAttempts() default 3;

    /** As for {@link dev.muster.job.Job#maxCrashes}. */
    int maxCrashes() default -1;

    /** How long to wait between attempts. */
    Backoff backoff() default @Backoff;

    /** How long one attempt may run, such as "30s"; empty: {@code worker.job_timeout}. */
    String timeout() default "";

    /** The failures worth retrying; empty: all. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Failures that end the job at once, even if {@link #retryOn} names them. */
    Class<? extends Throwable>[] noRetryOn() default {};
}
