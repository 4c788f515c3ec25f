package dev.muster.runtime;

import org.jspecify.annotations.Nullable;

/** The database could not be reached, or the connection broke. Safe to repeat unless the message says otherwise. */
public class DatabaseUnavailable extends MusterException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
