package dev.muster.internal.job.store;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Claims jobs and writes outcomes for one node. Shared by the node's pumps; thread-safe. */
public interface ClaimSession {

    /**
     * Writes outcomes and claims at most {@code want} jobs, in one transaction if both succeed. A claim that fails never undoes
     * the outcomes; an outcome that the database refuses fails only its own job.
     */
    default Exchange exchange(List<Outcome> outcomes, int want) {
        return exchange(outcomes, want, true, Integer.MAX_VALUE);
    }

    /** The same for a node all of whose threads are free; the last two parameters are those of {@link Want}. */
    default Exchange exchange(List<Outcome> outcomes, int want, boolean alone, int maxContent) {
        return exchange(outcomes, new Want(want, want, want, false, alone, maxContent));
    }

    /** Writes outcomes and claims jobs like {@link #exchange(List, int)}, with limits on what is claimed. */
    Exchange exchange(List<Outcome> outcomes, Want want);

    /**
     * What a node wants to claim.
     *
     * @param jobs how many jobs at most
     * @param free how many of them would start at once. From a queue with a limit that has few free places no more are claimed: a
     *     job that waits here for a thread would keep its place from nodes with free threads
     * @param soon how many of them would start soon. No more are claimed from a queue with a limit, however many places are free
     * @param onlyFreedPlaces whether to claim only from limited queues: the node has enough jobs of others, but one of its jobs that
     *     had a place ends
     * @param alone whether to claim jobs too that {@linkplain ClaimedJob#runsAlone run alone}; a node that holds some already
     *     leaves the others to other nodes
     * @param maxContent how many bytes of args and metadata may come with each claim; larger ones are read when their job starts,
     *     so that a claim of many large jobs fits into the node's memory
     */
    record Want(int jobs, int free, int soon, boolean onlyFreedPlaces, boolean alone, int maxContent) {
        /** The same for this many jobs. */
        public Want with(int otherJobs) {
            return new Want(otherJobs, free, soon, onlyFreedPlaces, alone, maxContent);
        }

        /** The same for this many jobs, of which that many would start at once. */
        public Want with(int otherJobs, int otherFree) {
            return new Want(otherJobs, otherFree, soon, onlyFreedPlaces, alone, maxContent);
        }
    }

    /** How many places of limited queues these outcomes free. It is worth claiming in the same exchange if there are any. */
    default int freedPlaces(Collection<Outcome> outcomes) {
        return 0;
    }

    /** Tells, from now on, when a place of a limited queue is freed otherwise than by an exchange. The listener must be quick. */
    default void onFreedPlace(Runnable listener) {}

    /**
     * If it is due, probes for jobs that exchanges would miss. An exchange does that itself; but a probe may take long while the
     * database cannot remove dead rows, and then it is better made before an exchange than within it.
     *
     * @return whether it found any
     */
    boolean probeBacklog();

    /** Reports every probe from now on, after the database has answered it. */
    default void onProbe(ProbeListener listener) {}

    /** Tells, from now on, when a probe of another session of this node was also one of this session. The listener must be quick. */
    default void onSharedProbe(Runnable listener) {}

    /** The time until there may be jobs to claim, as far as this session knows: zero if there may be some now, empty if it knows of none. */
    default Optional<Duration> untilKnownJobs() {
        return Optional.of(Duration.ZERO);
    }

    /** Whether other nodes claim so much that two simultaneous exchanges of this node would only wait for each other. */
    boolean contended();

    /**
     * Whether it is time to check a claim whose commit was not acknowledged: the node may hold jobs that it does not know.
     */
    boolean inDoubt();

    /**
     * Releases the jobs that are claimed by this node in the database but not known to it. Must not run while an exchange is
     * under way, or before the node has recorded what an exchange claimed.
     *
     * @return the released jobs; those that were asked to cancel have ended
     */
    List<Recovered> releaseUnknown(Collection<ClaimRef> known);

    /** How often the database has answered this session so far; not every call sends a statement. */
    long answers();

    /** These lanes may have new jobs; an empty set means any lane. */
    void wake(Set<Lane> lanes);

    /**
     * These lanes may have new jobs, and all nodes were notified. Idle nodes that would claim the same jobs take turns, so that
     * one job does not make a hundred nodes poll.
     *
     * @return how long to wait before polling; empty if this node need not poll, because others do
     */
    Optional<Duration> wakeInTurn(Set<Lane> lanes);

    /** How many idle nodes, including this one, would claim the same jobs; at least 1. */
    int peers();

    /**
     * The result of an exchange.
     *
     * @param rejected outcomes whose claim was lost, so that nothing was written for them
     * @param deferred outcomes whose row another transaction has locked; they have to be sent again
     * @param exhausted whether every job was seen that was due
     * @param nextDue the time until the next known job becomes due, or until it is time to ask again, if the lanes were
     *     exhausted
     * @param refused outcomes that the database refused to store: their jobs have failed, with this as their error
     * @param cancelled outcomes that should have made their job pending again, but the job was asked to cancel: it has ended
     * @param pausedQueues the queues that are paused now: none of their jobs may start
     * @param returned lanes in which a job became pending again and is due now
     * @param returnedLater lanes in which a job became pending by a retry or a snooze, or in which other nodes may find a free
     *     place, and when to tell them
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
            Set<ClaimRef> cancelled,
            Set<String> pausedQueues) {

        /** An exchange in which every outcome was stored as it was sent. */
        public Exchange(
                List<ClaimedJob> claimed,
                Set<ClaimRef> rejected,
                List<Outcome> deferred,
                boolean exhausted,
                Optional<Duration> nextDue,
                Set<Lane> returned,
                Map<Lane, Duration> returnedLater,
                Set<String> pausedQueues) {
            this(
                    claimed,
                    rejected,
                    deferred,
                    exhausted,
                    nextDue,
                    returned,
                    returnedLater,
                    Map.of(),
                    Set.of(),
                    pausedQueues);
        }

        /** The same with other claims. */
        public Exchange withClaims(List<ClaimedJob> jobs, boolean sawEverything, Optional<Duration> next) {
            return new Exchange(
                    jobs,
                    rejected,
                    deferred,
                    sawEverything,
                    next,
                    returned,
                    returnedLater,
                    refused,
                    cancelled,
                    pausedQueues);
        }

        /** The same with other lanes of which other nodes are told later. */
        public Exchange withReturnedLater(Map<Lane, Duration> later) {
            return new Exchange(
                    claimed, rejected, deferred, exhausted, nextDue, returned, later, refused, cancelled, pausedQueues);
        }

        /** What the database has stored for an outcome that was neither rejected nor deferred. */
        public Outcome stored(Outcome outcome) {
            String refusal = refused.get(outcome.claim());
            if (refusal != null) {
                return new Outcome.Failed(outcome.claim(), refusal);
            }
            return cancelled.contains(outcome.claim())
                    ? new Outcome.Cancelled(outcome.claim(), "cancelled while it was to go back")
                    : outcome;
        }
    }

    /** Receives the probes of a session. */
    @FunctionalInterface
    interface ProbeListener {
        /** @param nanos how long the database took, without the wait for a connection */
        void probed(long nanos, boolean found);
    }
}
