package dev.muster.function;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as a query: a function that only reads. Callers need the scope read. The method takes a {@link
 * QueryContext}, or the call's args, or both in this order, or nothing.
 *
 * <pre>{@code
 * @Query
 * Order order(QueryContext ctx, OrderRef ref) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Query {

    /** The function's name; if empty, the method's name in snake case: {@code open_orders} for {@code openOrders}. */
    String name() default "";

    /** Roles of the application of which the caller needs one; if empty, none is needed. */
    String[] roles() default {};

    /** How long a call may take, 1 ms to 1 day. */
    String timeout() default "30s";

    /** How often the function may be called; by default as often as one likes. */
    FunctionLimit rateLimit() default @FunctionLimit(permits = 0);
}
