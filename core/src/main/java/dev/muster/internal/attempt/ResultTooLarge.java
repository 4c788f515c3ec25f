package dev.muster.internal.attempt;

import dev.muster.runtime.MusterException;

/** The result of a job is larger than what is kept. */
final class ResultTooLarge extends MusterException {
    private static final long serialVersionUID = 1L;

    ResultTooLarge(long bytes, int limit) {
        super("its result has " + bytes + " bytes; at most " + limit
                + " are kept. Store large data elsewhere and return a reference");
    }
}
