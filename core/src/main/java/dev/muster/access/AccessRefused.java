package dev.muster.access;

import dev.muster.runtime.MusterException;

/** A caller asked for something that it may not do. */
public final class AccessRefused extends MusterException {
    private static final long serialVersionUID = 1L;

    public AccessRefused(String message) {
        super(message);
    }
}
