package dev.muster.client;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** No gateway answered. */
public final class GatewayUnavailable extends MusterException {
    private static final long serialVersionUID = 1L;

    private final boolean perhapsExecuted;

    GatewayUnavailable(String message, boolean perhapsExecuted, @Nullable Throwable cause) {
        super(message, cause);
        this.perhapsExecuted = perhapsExecuted;
    }

    /** Whether a gateway may have executed the request all the same; false if it was never sent. */
    public boolean perhapsExecuted() {
        return perhapsExecuted;
    }
}
