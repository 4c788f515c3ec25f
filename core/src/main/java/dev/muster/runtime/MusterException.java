package dev.muster.runtime;

import org.jspecify.annotations.Nullable;

/** The superclass of all exceptions of Muster. The message says what happened, to what, and what to do. */
public class MusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MusterException(String message) {
        super(message);
    }

    public MusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
