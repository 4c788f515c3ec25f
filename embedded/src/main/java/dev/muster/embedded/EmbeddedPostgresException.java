package dev.muster.embedded;

import org.jspecify.annotations.Nullable;

/** The server could not be installed, started, stopped or queried. The message says which server, and what to do. */
public final class EmbeddedPostgresException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
