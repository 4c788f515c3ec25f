package dev.muster.telemetry;

import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Receives the events of one node, for metrics, traces and live views. Register it with {@code Muster.builder().telemetry(…)}.
 * Methods that are not overridden do nothing, and more methods may be added. The description of this package says which events a
 * claim has, and in which order.
 *
 * <p><b>Be quick.</b> The methods are called on the engine's own threads, many of them at the same time: a listener that waits delays
 * jobs, heartbeats and elections. It must not use the database or call Muster. Count, or put the event into a queue of your own. For
 * slow reactions to failed jobs there is {@link dev.muster.job.JobListener}.
 *
 * <p>Whatever a listener throws is caught, and logged at most once a minute. It affects neither the node nor other listeners.
 */
public interface Telemetry {

    /** This node has exchanged outcomes for jobs with the database. */
    default void exchanged(Exchange event) {}

    /** This node has searched for jobs that its claims would miss. */
    default void probed(Probe event) {}

    /** This node has claimed jobs. Called before any of them can start. */
    default void claimed(Claims event) {}

    /** A handler is about to be called. Called on the handler's thread. */
    default void started(Start event) {}

    /** The handler has ended. Called on the handler's thread, once for each {@link #started}. */
    default void ended(End event) {}

    /** The database has accepted the outcome of a claim of this node. */
    default void accepted(Outcome event) {}

    /** This node has lost a claim: nothing was written for it. */
    default void lost(Loss event) {}

    /** A handler ignores its interruption, and its thread can run nothing else until it returns, which {@link #ended} tells. */
    default void stuck(Stuck event) {}

    /** This node has taken back a claim: of a dead node, of a node that did not renew its lease, or one of its own when it left. */
    default void recovered(Recovery event) {}

    /** This node has ended a job that no node claimed in time. */
    default void expired(ExpiredJob event) {}

    /** This node has begun or stopped to lead. */
    default void leading(Leadership event) {}

    /** This node has joined the cluster, or joined again after it was declared dead. */
    default void joined(Membership event) {}

    /** This node has left the cluster. */
    default void left(Membership event) {}

    /** This node has changed the status of another node. */
    default void peerChanged(Peer event) {}

    /** A tick of a cron is committed. */
    default void ticked(Tick event) {}

    /** A daemon is about to be called. Called on the daemon's thread. */
    default void daemonStarted(DaemonStart event) {}

    /** A daemon has ended. Called on the daemon's thread, once for each {@link #daemonStarted}. */
    default void daemonEnded(DaemonEnd event) {}

    /**
     * An exchange that sent at least one statement.
     *
     * @param nanos how long it took, including the wait for a connection
     * @param claimed how many jobs were claimed
     * @param written how many outcomes the database accepted
     * @param refused how many outcomes the database refused, because their claim was lost
     */
    record Exchange(long nanos, int claimed, int written, int refused) {}

    /**
     * A search for jobs that claims would miss.
     *
     * @param nanos how long the database took
     * @param found whether there were any
     */
    record Probe(long nanos, boolean found) {}

    /**
     * One claim of one job.
     *
     * @param token no two claims of a cluster have the same, and a later claim of a job has a higher one
     * @param attempt the number of the attempt that the claim is for, the first being 1. Only a failure counts, so several claims may
     *     have the same
     */
    record Claim(JobId id, long token, String name, Lane lane, int attempt) {

        public String queue() {
            return lane.queue();
        }
    }

    /** Jobs that were claimed by one exchange. */
    record Claims(List<NewClaim> claims) {}

    /**
     * A job that was claimed.
     *
     * @param waited how long the job had been claimable
     * @param crashes how many nodes have died while running the job
     */
    record NewClaim(Claim claim, Duration waited, int crashes) {}

    /** The start of a handler. */
    record Start(Claim claim) {}

    /**
     * The end of a handler.
     *
     * @param nanos how long the handler and its interceptors took
     * @param failure what was thrown; empty if nothing was, and for a snooze
     */
    record End(Claim claim, long nanos, How how, Optional<Throwable> failure) {

        /** How a handler ended, which is not yet what becomes of its job. */
        public enum How {
            RETURNED,
            FAILED,
            /** It asked to run again later. */
            SNOOZED,
            /** It was told to stop, because of a timeout, a cancellation, a drain or a lease that could not be renewed, and did. */
            STOPPED,
            /** It found that its claim was lost. */
            CLAIM_LOST
        }
    }

    /**
     * An outcome, as the database has stored it.
     *
     * @param entered whether the handler was entered; a job that a draining node released before its start was not
     * @param delay after which the job is due again, for retries and snoozes
     * @param error the error that is stored with the job: type, message and stack trace, or a sentence
     * @param errorType the class of what the handler threw; empty if there is no exception
     */
    record Outcome(
            Claim claim,
            Kind kind,
            boolean entered,
            Optional<Duration> delay,
            Optional<String> error,
            Optional<String> errorType) {

        /** What became of the job. */
        public enum Kind {
            COMPLETED,
            /** The job is a dead letter. */
            FAILED,
            CANCELLED,
            /** The attempt failed, and the job runs again after a delay. */
            RETRIED,
            /** The job runs again after a delay, and the attempt does not count. */
            SNOOZED,
            /** The job can be claimed again at once, as if it had not been claimed. */
            RELEASED,
            /** A feature has written an outcome of its own, such as parking the job. */
            OF_FEATURE;

            /** Whether the job has ended and is in history. */
            public boolean isFinal() {
                return this == COMPLETED || this == FAILED || this == CANCELLED;
            }
        }
    }

    /** A claim that this node has lost. */
    record Loss(Claim claim, Reason reason) {

        /** How the node learned of it. */
        public enum Reason {
            /** The database refused the outcome of the claim. */
            OUTCOME_REFUSED,
            /** The node found that the claim is no longer current, before there was an outcome. Its handler is interrupted. */
            NO_LONGER_CURRENT
        }
    }

    /**
     * A handler that ignores its interruption.
     *
     * @param nanos how long ago the handler was called
     */
    record Stuck(Claim claim, long nanos) {}

    /**
     * A claim that was taken back.
     *
     * @param claim the claim that the job had
     * @param node the node that held it
     * @param crash whether it counts as a crash of the job
     * @param crashes the job's crashes now
     * @param status the job's status now: pending, or failed or cancelled, in which case it has ended
     * @param error why the job has ended; empty if it has not
     */
    record Recovery(Claim claim, String node, boolean crash, int crashes, JobStatus status, Optional<String> error) {}

    /**
     * The beginning or the end of a leader's term on this node. A node that cannot reach the database reports the end when it
     * notices; by then its writes as the leader are refused. If the node finds that its term continues, it begins again with the same
     * number.
     *
     * @param role such as {@code scheduler}
     * @param timeline grows when the database fails over; then the same term may be issued again
     * @param leads whether this is the beginning
     */
    record Leadership(String role, long timeline, long term, boolean leads) {}

    /**
     * This node's membership.
     *
     * @param again whether it had been declared dead
     */
    record Membership(String node, UUID incarnation, boolean again) {}

    /**
     * Another node whose status this node has changed.
     *
     * @param silence how long the other node had sent no heartbeat
     */
    record Peer(String node, UUID incarnation, State state, Duration silence) {

        /** What the other node is now. */
        public enum State {
            STALE,
            DEAD,
            /** It was stale, and sends heartbeats again. */
            BACK
        }
    }

    /**
     * A tick of a cron.
     *
     * @param job the job that the tick enqueued; empty if the tick was skipped because an earlier job had not ended
     * @param late how much later than planned the tick was committed, by the database's clock
     */
    record Tick(String cron, Instant tick, Optional<JobId> job, Duration late) {}

    /**
     * The start of a daemon on this node.
     *
     * @param restarts how often it has ended and started again without running well in between; 0 at its first start
     */
    record DaemonStart(String name, long token, int restarts) {}

    /**
     * The end of a daemon's run.
     *
     * @param told whether it had been told to stop
     * @param failure what it threw; empty if it returned
     */
    record DaemonEnd(String name, long token, long nanos, boolean told, Optional<Throwable> failure) {}
}
