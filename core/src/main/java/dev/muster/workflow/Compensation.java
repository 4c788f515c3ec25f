package dev.muster.workflow;

import dev.muster.job.Backoff;
import dev.muster.job.RetryPolicy;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that undoes a step; {@link Step#compensateWith} names it. It takes a {@link StepContext}, a {@link java.sql.Connection} and the
 * args, each of which may be left out, in that order. With a connection it runs in the transaction that also stores that it has run, so
 * that what it writes through the connection happens exactly once; it neither commits nor closes it. Without one it runs at least once.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Compensation {

    /** The name. Runs that were started long ago may still need it. */
    String value();

    int maxAttempts() default RetryPolicy.DEFAULT_MAX_ATTEMPTS;

    Backoff backoff() default @Backoff;
}
