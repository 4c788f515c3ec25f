package dev.muster.workflow;

import dev.muster.internal.runtime.Known;
import dev.muster.job.Priority;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Locale;

/**
 * A method that is a workflow. It takes a {@link WorkflowContext} and, if the workflow has one, its input.
 *
 * <pre>{@code
 * @Workflow(name = "checkout", version = "v1")
 * Receipt checkout(WorkflowContext wf, Cart cart) {
 *     String reservation = wf.step("reserve", String.class).compensateWith("release", cart).run(step -> stock.reserve(cart));
 *     return wf.step("charge", Receipt.class).run(step -> payments.charge(cart, step.idempotencyKey()));
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Workflow {

    String name();

    /**
     * Runs keep the version they were started with. Change it whenever the order or the names of steps change. It may start with a digit:
     * {@code 2}, {@code 1.4.0}, {@code 2026-11}.
     */
    String version();

    /** Whether new runs get this version. */
    Lifecycle lifecycle() default Lifecycle.ACTIVE;

    /** The names of all steps. If given, the context refuses others, and a change of the list is a change of the signature. */
    String[] steps() default {};

    /** The queue of the workflow's drivers. */
    String queue() default "default";

    /** The capability that a node needs to run them, or the text of a {@link dev.muster.job.Placement}; if empty, any node can. */
    String capability() default "";

    Priority priority() default Priority.NORMAL;

    /** How often a node may die while it runs the same step before the run fails. */
    int maxCrashes() default 5;

    /** The life of a version. */
    enum Lifecycle {
        /** New runs that name no version get the newest active one. */
        ACTIVE,
        /**
         * Existing runs are executed, and those that they start with continueAsNew get the newest active version; other new ones are refused. It stays so, whatever other builds
         * of the version say.
         */
        DEPRECATED,
        /** New runs get it only if they name it. */
        STAGING,
        /** A newer Muster has published it with a life cycle that this one does not know. Not for annotations. */
        UNKNOWN;

        /** The name in tables and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Lifecycle stored(String text) {
            return Known.read(values(), Lifecycle::text, text, UNKNOWN);
        }
    }
}
