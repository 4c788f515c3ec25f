package dev.muster.internal.node;

import java.lang.annotation.Annotation;
import java.util.function.Function;

/**
 * A kind of handlers: methods with a certain annotation.
 *
 * @param <H> what is made of such a method
 * @param read makes it; throws a {@link dev.muster.runtime.MusterException} that says what is wrong with the method
 */
public record HandlerKind<H>(Class<? extends Annotation> annotation, Function<HandlerMethod, H> read) {

    /** Kinds with the same annotation are the same, whoever has created them. */
    @Override
    public boolean equals(Object other) {
        return other instanceof HandlerKind<?> kind && kind.annotation == annotation;
    }

    @Override
    public int hashCode() {
        return annotation.hashCode();
    }

    /** The annotation as people write it, such as {@code @Cron}. */
    public String text() {
        return "@" + annotation.getSimpleName();
    }
}
