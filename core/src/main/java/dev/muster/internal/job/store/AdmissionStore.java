package dev.muster.internal.job.store;

import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Concurrency groups: jobs wait for admission until one of a limited number of places is free. Whoever puts a job into its group, or ends one that was admitted,
 * admits afterwards: the store does so itself after its own transactions. {@link dev.muster.internal.admission} describes states and rules.
 */
public interface AdmissionStore {

    /**
     * Makes jobs of these groups claimable, as many as there are free places. Waits for others that admit to the
     * same groups. What cannot be done now, because a group is locked, the database is away or the next job is not due, is left to the
     * {@linkplain #onLater listener}, and to the sweep.
     *
     * @return the lanes that have new work
     */
    Set<Lane> admit(Collection<String> groups);

    /** Like {@link #admit}, but waits only briefly for others: for callers that have other work to do than to wait for a group. */
    Set<Lane> admitUnlessBusy(Collection<String> groups);

    /**
     * Asks whether a job of this group may begin now, just before its handler is entered. Whoever is let through has to begin then: it is
     * counted in the rate of the group.
     */
    Begin mayBegin(String group);

    /**
     * When a job may begin.
     *
     * @param after how long to wait
     * @param later whether that is too long to be waited for: the job is not counted, and has to {@linkplain TooEarly come back}
     */
    record Begin(Duration after, boolean later) {
        public static final Begin NOW = new Begin(Duration.ZERO, false);
    }

    /**
     * Admits jobs that are due and that nobody else has admitted: because a process died, or never had a timer for them. Looks at what has
     * become due since the last call, oldest first, and now and then at everything. Each call takes a few seconds at most; what it cannot do is
     * done by the next one, and a group that is locked holds up no other.
     */
    Swept sweep();

    /** The same for everything, however long that takes. */
    Set<Lane> sweepAll();

    /**
     * What a sweep did.
     *
     * @param lanes those that have new work
     * @param again when to call it again: there is more to do, or the next job that waits for admission is due soon. Empty if nothing is due soon
     */
    record Swept(Set<Lane> lanes, Optional<Duration> again) {}

    /** From now on tells this listener of groups in which jobs have to be admitted later. There is one listener. */
    void onLater(LaterListener listener);

    /**
     * Writes the limits that handlers declare, so that they hold for all groups of their jobs from the next admission on.
     *
     * @param unlimited names of jobs whose handlers declare none
     */
    void publish(Map<String, ConcurrencyLimit> limits, Set<String> unlimited);

    /** Removes some groups without jobs that were not used for a day; returns whether there may be more. */
    boolean forget(Connection tx) throws SQLException;

    /** Receives groups in which jobs have to be admitted later. */
    @FunctionalInterface
    interface LaterListener {
        /**
         * @param delay zero if a transaction of a caller has just put a job into its group, or nothing is known about when
         * @param alone whether to admit to this group in a call of its own, because it may hold up others
         */
        void later(String group, Duration delay, boolean alone);
    }

    /** The job came in without the group that its handler declares: it is put there, and no attempt is counted. */
    record PutInGroup(ClaimRef claim, String group) implements Outcome.OfFeature {}

    /** The rate of its group does not let the job begin yet: it stays admitted and comes back after this time, and no attempt is counted. */
    record TooEarly(ClaimRef claim, Duration delay) implements Outcome.OfFeature {}
}
