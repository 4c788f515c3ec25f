package dev.muster.leader;

import dev.muster.runtime.MusterException;

/** This node does not lead, or no longer leads: nothing of what it wanted to write as the leader was written. */
public final class StaleLeader extends MusterException {
    private static final long serialVersionUID = 1L;

    public StaleLeader(String message) {
        super(message);
    }
}
