package dev.muster.daemon;

import dev.muster.job.Backoff;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as a daemon: it runs all the time, on one node of the cluster. The method takes a
 * {@link DaemonContext} and runs until it is told to stop; if it throws or returns before, it is started again.
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

    /** The daemon's name; if empty, the method's name in snake case: {@code price_feed} for {@code priceFeed}. */
    String name() default "";

    /** Whether each node runs one instance, instead of one in the cluster. */
    boolean perNode() default false;

    /** How long a node waits before it starts the daemon; if empty, it starts at once. */
    String startDelay() default "";

    /**
     * How many times the daemon is restarted before it counts as failed and stays stopped until an operator resets it; −1 for no
     * limit. A run that lasts longer than the backoff's cap sets the count back to zero.
     */
    int maxRestarts() default -1;

    /** How long to wait before a restart. */
    Backoff backoff() default @Backoff;
}
