package dev.muster.job;

import dev.muster.runtime.MusterException;

/** The job has ended or another node has claimed it: the database no longer accepts writes of this claim. */
public final class ClaimLost extends MusterException {
    private static final long serialVersionUID = 1L;

    public ClaimLost(JobId id) {
        super("the claim on job " + id + " was lost: another node may be running it; nothing was written");
    }
}
