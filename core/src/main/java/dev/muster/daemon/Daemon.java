package dev.muster.daemon;

import dev.muster.job.Backoff;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as one that runs all the time, on one node of the cluster. The method takes a
 * {@link DaemonContext} and goes on until it is told to stop; if it throws or returns before, it is started again.
 *
 * <pre>{@code
 * @Daemon
 * void priceFeed(DaemonContext ctx) {
 *     while (!ctx.awaitShutdown(Duration.ofMillis(100))) { … }
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Daemon {

    /** The daemon's name; empty: the method's, {@code priceFeed} as {@code price_feed}. */
    String name() default "";

    /** One instance on each node instead of one in the cluster. */
    boolean perNode() default false;

    /** How long a node waits before it starts a daemon that it was given; empty: not at all. */
    String startDelay() default "";

    /**
     * How many times it is started again before it is left alone until an operator resets it; −1: no limit. A run that
     * lasts longer than the backoff's cap makes good for the restarts before it.
     */
    int maxRestarts() default -1;

    /** How long to wait before it is started again. */
    Backoff backoff() default @Backoff;
}
