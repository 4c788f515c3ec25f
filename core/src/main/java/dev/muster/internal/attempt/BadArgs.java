package dev.muster.internal.attempt;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** The args do not fit the handler's type, or cannot be supplied, so that a retry would not help. */
public final class BadArgs extends MusterException {
    private static final long serialVersionUID = 1L;

    public BadArgs(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
