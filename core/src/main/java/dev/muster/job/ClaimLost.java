package dev.muster.job;

import dev.muster.runtime.MusterException;

/** The job was claimed again by someone else, or ended: nothing this claim writes is accepted any more. */
public final class ClaimLost extends MusterException {
    private static final long serialVersionUID = 1L;

    public ClaimLost(JobId id) {
        super("the claim on job " + id + " was lost: another node may be running it; nothing was written");
    }
}
