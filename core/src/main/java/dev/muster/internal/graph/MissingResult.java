package dev.muster.internal.graph;

import dev.muster.runtime.MusterException;

/** A path in a task's inputs finds nothing in the result of a parent. */
final class MissingResult extends MusterException {
    private static final long serialVersionUID = 1L;

    MissingResult(String message) {
        super(message);
    }
}
