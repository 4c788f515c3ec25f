package dev.muster.graph;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** A graph that cannot be submitted. The message says what is wrong and where; nothing was written. */
public final class InvalidGraph extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidGraph(String message) {
        this(message, null);
    }

    public InvalidGraph(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
