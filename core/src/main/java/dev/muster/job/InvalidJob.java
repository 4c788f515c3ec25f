package dev.muster.job;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** A request was refused. Nothing was written. */
public class InvalidJob extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidJob(String message) {
        super(message);
    }

    public InvalidJob(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
