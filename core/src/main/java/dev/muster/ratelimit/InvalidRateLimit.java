package dev.muster.ratelimit;

import dev.muster.runtime.MusterException;

/** A key, a limit or a number of permits that breaks the rules. The message says which, and what is allowed. */
public final class InvalidRateLimit extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidRateLimit(String message) {
        super(message);
    }
}
