package dev.muster.function;

import dev.muster.ratelimit.RateKey;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How often a function may be called. {@code rate_limit.mode} says how exactly that is counted.
 *
 * <pre>{@code
 * @Mutation(rateLimit = @FunctionLimit(permits = 5, per = "1m", key = RateKey.Kind.IP))
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface FunctionLimit {

    /** How many calls each window has; 0 for no limit. */
    int permits();

    /** The length of the window. */
    String per() default "1m";

    /**
     * Who shares the calls of a window. A caller without an address, or without a tenant, is counted as a user.
     */
    RateKey.Kind key() default RateKey.Kind.USER;
}
