package dev.muster.job;

/**
 * A node tells its listeners what becomes of jobs. They are registered with {@code Muster.builder().listener(…)}; every
 * method does nothing unless it is overridden, and more may be added.
 *
 * <p>What is promised:
 *
 * <ul>
 *   <li>An event is told after the database has accepted it, on the node that wrote it: the node that ran the job, or the
 *       node that took it from a dead one. The listeners of other nodes are not told.
 *   <li>It is told at most once. A node that dies, or is stopped while a listener is slow, does not tell the rest. Whoever
 *       must not miss a dead letter looks for jobs with status {@code failed}.
 *   <li>All listeners of a node are called on one thread of their own, one event after the other. They may take their time
 *       and use the database: no job waits for them. Up to 10,000 events wait; what comes beyond that is dropped, and the
 *       log says how many. Events that follow each other within milliseconds may come in another order: {@code attempt} tells.
 *   <li>What a listener throws is logged and harms neither the jobs nor the other listeners.
 * </ul>
 */
public interface JobListener {

    /** An attempt failed, and the job is tried again, unless someone cancels it. */
    default void attemptFailed(FailedAttempt event) {}

    /** A job failed and is not tried again: its attempts are used up, its failure is not worth a retry, or its nodes died too often. */
    default void deadLetter(DeadLetter event) {}

    /** A job expired before anybody claimed it. */
    default void expired(ExpiredJob event) {}
}
