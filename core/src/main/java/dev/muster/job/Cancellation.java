package dev.muster.job;

/** What came of a wish to cancel. */
public enum Cancellation {
    /** It had not started and never will. */
    CANCELLED,
    /** It is on a node, which was told; it ends as cancelled unless its handler never notices. */
    REQUESTED,
    /** Its completion is being committed by its handler right now; too late. */
    COMPLETING,
    /** It had ended before. */
    ALREADY_ENDED,
    NOT_FOUND
}
