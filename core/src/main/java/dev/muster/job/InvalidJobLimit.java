package dev.muster.job;

import dev.muster.runtime.MusterException;

/** A limit of jobs that breaks the rules. The message says which, and what is allowed. */
public final class InvalidJobLimit extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidJobLimit(String message) {
        super(message);
    }
}
