package dev.muster.runtime;

import org.jspecify.annotations.Nullable;

/** A statement that people wait for did not end in the time that it was given. */
public class ReadTookTooLong extends MusterException {
    private static final long serialVersionUID = 1L;

    public ReadTookTooLong(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
