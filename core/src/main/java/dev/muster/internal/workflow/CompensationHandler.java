package dev.muster.internal.workflow;

import dev.muster.job.BackoffPolicy;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.StepContext;
import java.lang.reflect.Type;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A method with a {@link Compensation} annotation.
 *
 * @param args the type of the args; null if the method takes none
 * @param transactional whether it takes a connection, and so runs in the transaction that stores that it has run
 */
record CompensationHandler(String name, @Nullable Type args, boolean transactional, BackoffPolicy retry, Body body) {

    /** The user's code. */
    @FunctionalInterface
    interface Body {
        /** @param connection null if the method takes none */
        void run(StepContext context, @Nullable Connection connection, @Nullable Object args) throws Exception;
    }
}
