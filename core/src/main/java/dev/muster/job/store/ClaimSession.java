package dev.muster.job.store;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One node's way of taking jobs and handing back outcomes. Shared by the node's pumps; thread-safe. */
public interface ClaimSession {

    /**
     * Writes outcomes and claims at most {@code want} jobs, in one transaction where both succeed. A
     * claim that fails never undoes the outcomes; an outcome the database refuses fails its own job
     * and no other.
     */
    default Exchange exchange(List<Outcome> outcomes, int want) {
        return exchange(outcomes, want, true, Integer.MAX_VALUE);
    }

    /**
     * Same.
     *
     * @param alone whether to take jobs as well that {@linkplain ClaimedJob#runsAlone run alone}; a node that holds
     *     some already leaves the others to other nodes
     * @param maxContent bytes of args and metadata that may come with each claim; what is larger is read when its job
     *     starts, so that a claim of many large jobs fits into the node's memory
     */
    Exchange exchange(List<Outcome> outcomes, int want, boolean alone, int maxContent);

    /**
     * Looks, if it is time to, for jobs that exchanges would not come by. They do so themselves; but it may take long
     * while the database cannot remove what is dead, and then it is better done before than within one.
     *
     * @return whether it found any
     */
    boolean look();

    /** Whether other nodes claim so much that two exchanges of this one at a time would only wait for each other. */
    boolean crowded();

    /**
     * Whether it is time to ask about a claim that may have been committed and whose answer never came: the node then
     * holds jobs that it does not know.
     */
    boolean inDoubt();

    /**
     * Gives back the jobs that stand as claimed by this node and are not among those it knows. Must not run while an
     * exchange is under way, or before the node has taken note of what an exchange claimed.
     *
     * @return lanes with new work
     */
    Set<Lane> releaseUnknown(Collection<ClaimRef> known);

    /** How often the database has answered this session so far: not every call asks it. */
    long answers();

    /** Lanes that may have new work; empty: unknown, look everywhere. */
    void wake(Set<Lane> lanes);

    /**
     * Same, and all nodes are told: not all of them need to come. Those that have nothing to do and would do the same take
     * turns, so that one job does not bring a hundred nodes.
     *
     * @return how long to wait before looking for work; empty: no need to, others do
     */
    Optional<Duration> heard(Set<Lane> lanes);

    /** How many nodes, this one included, would do the same work and have none; at least 1. */
    int peers();

    /**
     * What came back.
     *
     * @param rejected outcomes whose claim was lost: nothing was written for them
     * @param deferred outcomes whose row someone else has locked: to be sent again
     * @param exhausted whether there was less to claim than wanted
     * @param nextDue how long until the next job known to become due, if the lanes were exhausted
     * @param refused outcomes that the database refuses to store: their jobs have failed, and this is kept as their error
     * @param pausedQueues queues that are paused now: nothing of theirs may start
     * @param returned lanes that got a job back that is due now
     * @param returnedLater lanes that got a job back by a retry or a snooze, and when the first of each is due
     */
    record Exchange(
            List<ClaimedJob> claimed,
            Set<ClaimRef> rejected,
            List<Outcome> deferred,
            boolean exhausted,
            Optional<Duration> nextDue,
            Set<Lane> returned,
            Map<Lane, Duration> returnedLater,
            Map<ClaimRef, String> refused,
            Set<String> pausedQueues) {

        /** Nothing was refused. */
        public Exchange(
                List<ClaimedJob> claimed,
                Set<ClaimRef> rejected,
                List<Outcome> deferred,
                boolean exhausted,
                Optional<Duration> nextDue,
                Set<Lane> returned,
                Map<Lane, Duration> returnedLater,
                Set<String> pausedQueues) {
            this(claimed, rejected, deferred, exhausted, nextDue, returned, returnedLater, Map.of(), pausedQueues);
        }
    }
}
