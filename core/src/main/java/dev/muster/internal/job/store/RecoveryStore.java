package dev.muster.internal.job.store;

import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs back to pending that their nodes lost, and ends jobs that nobody claimed in time. Methods that take a transaction run in
 * that of the leader, or of the node that stands in for one.
 */
public interface RecoveryStore {

    /**
     * Makes jobs pending again whose lease ran out, and charges a crash to those whose start was recorded.
     *
     * @param endedBefore a time of the database's clock at which the holders of leases were known to have had time to renew them. Leases
     *     that ended later are left alone: perhaps the clock was set forward since, and nobody has noticed. Null: they all count
     * @param atLeast how many claims to take back, if there are that many
     * @param everything whether to search also where no claims should be left
     */
    List<Recovered> recoverExpired(Connection tx, @Nullable Instant endedBefore, int atLeast, boolean everything)
            throws SQLException;

    /** Does the same with every lease that has ended by now. */
    default List<Recovered> recoverExpired(Connection tx, int atLeast, boolean everything) throws SQLException {
        return recoverExpired(tx, null, atLeast, everything);
    }

    /**
     * Ends unclaimed jobs that have expired.
     *
     * @param everything whether to search also for jobs that expired before the last search, which may take long
     */
    List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException;

    /** Searches all jobs for unclaimed ones that have expired and for waiting ones. May take long. */
    Overdue searchOverdue();

    /** Takes back every claim of every node: for the only worker of a cluster. */
    List<Recovered> recoverAll();

    /**
     * A claim that was taken from a node.
     *
     * @param token the token that the claim had
     * @param leaseAge how long ago the lease ended; negative if it had not ended
     * @param status the job's status now: pending, or failed after too many crashes
     * @param attempt the attempt that the claim was for
     * @param crashes the job's crashes, including this one if it counts as a crash
     * @param error why the job has ended; null if it has not
     */
    record Recovered(
            JobId id,
            long token,
            String name,
            Lane lane,
            String node,
            Duration leaseAge,
            boolean crash,
            JobStatus status,
            int attempt,
            int maxAttempts,
            int crashes,
            @Nullable String error) {

        /** The event for listeners, if the job has failed. */
        public DeadLetter asDeadLetter() {
            return new DeadLetter(
                    id,
                    name,
                    lane.queue(),
                    attempt,
                    maxAttempts,
                    crashes,
                    node,
                    String.valueOf(error),
                    Optional.empty());
        }
    }

    /** Whether there are jobs to expire, and jobs that wait for others. */
    record Overdue(boolean expired, boolean waiting) {}
}
