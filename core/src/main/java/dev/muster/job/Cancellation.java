package dev.muster.job;

/** The result of cancelling a job. */
public enum Cancellation {
    /** The job had not started and never will. */
    CANCELLED,
    /** The job is on a node, which was told to stop it; it ends as cancelled unless its handler never notices. */
    REQUESTED,
    /** Too late: the job's handler is committing its completion. */
    COMPLETING,
    /** The job had ended before. */
    ALREADY_ENDED,
    NOT_FOUND,
    /** A newer gateway has answered with something that this version does not know. */
    UNKNOWN
}
