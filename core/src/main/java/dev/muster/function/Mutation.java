package dev.muster.function;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a registered object as a mutation: a function that writes, in one transaction. Callers need the scope write. The
 * method takes a {@link MutationContext}, or the call's args, or both in this order, or nothing. If it returns, its transaction is
 * committed; if it throws, everything is rolled back, the jobs that it enqueued through its context too.
 *
 * <pre>{@code
 * @Mutation
 * JobId placeOrder(MutationContext ctx, OrderArgs args) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Mutation {

    /** The function's name; if empty, the method's name in snake case: {@code place_order} for {@code placeOrder}. */
    String name() default "";

    /** Roles of the application of which the caller needs one; if empty, none is needed. */
    String[] roles() default {};

    /** How long a call may take, with all its repetitions, 1 ms to 1 day. */
    String timeout() default "30s";

    /** How often the function may be called; by default as often as one likes. */
    FunctionLimit rateLimit() default @FunctionLimit(permits = 0);

    /** The isolation level of the mutation's transaction. */
    Isolation isolation() default Isolation.READ_COMMITTED;

    /**
     * How many times the whole method is run at most, each time in a new transaction, if the database refuses it because of a
     * serialization failure or a deadlock; 1 for no repetition. What the method does outside its transaction is then done again.
     */
    int retryOnConflict() default 1;
}
