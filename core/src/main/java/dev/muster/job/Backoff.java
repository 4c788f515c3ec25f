package dev.muster.job;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The wait between attempts, as {@link Job} and {@link dev.muster.schedule.Cron} name it; {@link BackoffPolicy#backoffAfter} computes it. */
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Backoff {

    /** How the wait grows from attempt to attempt. */
    enum Kind {
        /** Always the same. */
        FIXED,
        /** delay, 2 × delay, 3 × delay, … */
        LINEAR,
        /** delay, 2 × delay, 4 × delay, … */
        EXPONENTIAL
    }

    Kind kind() default Kind.EXPONENTIAL;

    /** The first wait. */
    String delay() default "1s";

    /** The longest wait. */
    String cap() default "5m";

    /** The random share of the wait, 0 to 1: with 0.2 a wait of 10s becomes 8 to 12s. */
    double jitter() default 0.2;
}
