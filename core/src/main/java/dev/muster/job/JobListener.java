package dev.muster.job;

/**
 * Receives events about failed and expired jobs. Register it with {@code Muster.builder().listener(…)}. Methods that are not
 * overridden do nothing, and more methods may be added.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>A listener is called after the database has accepted the event, on the node that wrote it: the node that ran the job, or
 *       the node that recovered it from a dead one. Listeners of other nodes are not called.
 *   <li>It is called at most once per event. A node that dies, or is stopped while a listener is slow, does not report its
 *       remaining events. If you must not miss a dead letter, search for jobs with status {@code failed}.
 *   <li>All listeners of a node are called on one separate thread, one event after the other. They may be slow and use the
 *       database: no job waits for them. Up to 10,000 events wait; further ones are dropped, and the log says how many. Events
 *       within milliseconds of each other may come out of order; {@code attempt} tells the order.
 *   <li>An exception of a listener is logged and affects neither the jobs nor the other listeners.
 * </ul>
 */
public interface JobListener {

    /** An attempt failed, and the job will be tried again unless it is cancelled. */
    default void attemptFailed(FailedAttempt event) {}

    /** A job failed for good: its attempts are used up, its failure is not retried, or its nodes died too often. */
    default void deadLetter(DeadLetter event) {}

    /** A job expired before a node claimed it. */
    default void expired(ExpiredJob event) {}
}
