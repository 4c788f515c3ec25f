package dev.muster.leader;

import dev.muster.runtime.MusterException;

/** This node does not, or no longer, lead: what it wanted to write in this capacity was not written. */
public final class StaleLeader extends MusterException {
    private static final long serialVersionUID = 1L;

    public StaleLeader(String message) {
        super(message);
    }
}
