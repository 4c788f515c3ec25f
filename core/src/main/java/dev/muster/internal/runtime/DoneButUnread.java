package dev.muster.internal.runtime;

import dev.muster.runtime.OutcomeUnknown;

/** A change was committed, and what it has changed could not be read for the answer. */
public final class DoneButUnread extends OutcomeUnknown {
    private static final long serialVersionUID = 1L;

    public DoneButUnread(String what, RuntimeException cause) {
        super(what + ", and cannot be read: " + cause.getMessage(), cause);
    }
}
