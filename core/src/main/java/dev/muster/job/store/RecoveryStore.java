package dev.muster.job.store;

import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs back to pending that their nodes lost, and ends jobs that nobody claimed in time. Methods that take a transaction run in
 * that of the leader, or of the node that stands in for one.
 */
public interface RecoveryStore {

    /**
     * Puts claims whose lease ran out back in line, charging a crash where the start was written: at least so many, if
     * there are.
     *
     * @param everything also looks where nothing should be left
     */
    List<Recovered> recoverExpired(Connection tx, int atLeast, boolean everything) throws SQLException;

    /**
     * Ends unclaimed jobs whose time is up.
     *
     * @param everything also looks for those whose time was up before the last look, which may take long
     */
    List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException;

    /** Searches everything for unclaimed jobs whose time is up and for jobs that wait. May take long. */
    Overdue searchOverdue();

    /** Takes over every claim, whosever it is: for the only worker of a cluster. */
    List<Recovered> recoverAll();

    /**
     * A claim taken from a node that did not renew it.
     *
     * @param leaseAge how long ago the lease ended
     * @param status what the job is now: pending, or failed after too many crashes
     * @param attempt the attempt that the claim was for
     * @param crashes with this one, if it is one
     * @param error why the job has ended; null: it has not
     */
    record Recovered(
            JobId id,
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

        /** What listeners are told of a job that has failed with this. */
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

    /** What there is to do: jobs to expire, jobs that wait for others. */
    record Overdue(boolean expired, boolean waiting) {}
}
