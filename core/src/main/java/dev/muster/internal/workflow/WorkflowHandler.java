package dev.muster.internal.workflow;

import dev.muster.internal.runtime.Names;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method with a {@link Workflow} annotation.
 *
 * @param former the same version with the signature that former builds of Muster gave it, whose runs continue; null if it is the same signature
 * @param input the type of the input; null if the method takes none
 */
record WorkflowHandler(
        Definition definition,
        @Nullable Definition former,
        @Nullable Type input,
        Body body) {

    /** The version under each of its signatures. */
    Stream<Definition> definitions() {
        return Stream.of(definition, former).filter(Objects::nonNull);
    }

    /** The user's code. */
    @FunctionalInterface
    interface Body {
        @Nullable
        Object run(WorkflowContext context, @Nullable Object input) throws Exception;
    }

    /** @throws MusterException if the workflow declares its steps, and this is none of them */
    void requireDeclared(String step) {
        Names.require("step name", step);
        if (!definition.steps().isEmpty() && !definition.steps().contains(step)) {
            throw new MusterException("workflow " + definition.name() + " " + definition.version()
                    + " declares the steps " + definition.steps() + ", and '" + step + "' is none of them");
        }
    }
}
