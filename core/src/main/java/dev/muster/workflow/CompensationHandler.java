package dev.muster.workflow;

import dev.muster.job.BackoffPolicy;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A method with a {@link Compensation} annotation.
 *
 * @param args the type of the args; null if the method takes none
 */
record CompensationHandler(String name, @Nullable Type args, BackoffPolicy retry, Body body) {

    /** The user's code. */
    @FunctionalInterface
    interface Body {
        void run(StepContext context, @Nullable Object args) throws Exception;
    }
}
