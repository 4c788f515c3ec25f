package dev.muster.internal.runtime;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work on several things of which one that fails must not keep the others from their turn: it would do so again each time.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class Each {
    private Each() {}

    /** Does the work on each of them, and throws then what the first that failed has thrown. */
    public static <T> void of(Iterable<T> things, Consumer<T> work) {
        RuntimeException failure = null;
        for (T thing : things) {
            failure = first(failure, thing, work);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static <T> @Nullable RuntimeException first(@Nullable RuntimeException before, T thing, Consumer<T> work) {
        try {
            work.accept(thing);
            return before;
        } catch (RuntimeException e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }
}
