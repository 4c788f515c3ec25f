package dev.muster.graph;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** A graph that cannot be submitted. The message names the place and what is wrong there; nothing was written. */
public final class InvalidGraph extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidGraph(String message) {
        this(message, null);
    }

    InvalidGraph(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
