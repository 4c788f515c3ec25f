package dev.muster.schedule;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** A cron that cannot be: its expression, its zone or what it should do makes no sense. */
public final class InvalidCron extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidCron(String message) {
        super(message);
    }

    public InvalidCron(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
