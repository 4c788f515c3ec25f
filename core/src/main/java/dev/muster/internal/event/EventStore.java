package dev.muster.internal.event;

import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.WatchedJob;
import dev.muster.event.Position;
import dev.muster.job.JobId;
import dev.muster.job.QueueInfo;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The port through which the feed reads. It reads where people read, which may be a server that is a little behind, and writes nothing. Each
 * method sends one query whose work is bounded. Methods throw {@link dev.muster.runtime.DatabaseUnavailable} when the database does not answer.
 */
public interface EventStore {
    /** Log lines of a watched job are counted up to this number. */
    int MOST_LOG_LINES = 1_000;

    /** Where history ends at the moment, and which transactions may still add to it. */
    Horizon horizon();

    /**
     * The jobs that have ended behind one position and up to another one, which must not be far apart: all of them are read. The drivers of runs
     * are left out: {@link #runs} and {@link #recentRuns} tell of runs.
     *
     * @param limit how many are returned one by one, the oldest first; the others are counted
     */
    Ended ended(Position after, Position upTo, int limit);

    /** All queues with their live jobs, counted as {@link dev.muster.job.Queues#list} does. */
    List<QueueInfo> queues();

    /** What there is now of these jobs, live and ended ones. Those that are not known any more are left out. */
    List<WatchedJob> watched(Collection<JobId> ids);

    /** What there is now of these runs. Those that are not known any more are left out. */
    List<RunChanged> runs(Collection<JobId> ids);

    /** The newest runs that were started since about this moment, by the clocks of the nodes that did, and those that ended since then. */
    List<RunChanged> recentRuns(Instant since, int limit);

    /** Texts that change when something changes about nodes, leaders and crons. */
    Fingerprints fingerprints();

    /**
     * A reading of the database's clock, and of its open transactions after that.
     *
     * @param open the numbers of the transactions that may have ended a job before the moment, and are not over; every job that ended before it and
     *     is not in history now is ended by one of them. Empty if the server does not know its transactions, which a standby does not
     */
    record Horizon(Instant at, Optional<Set<Long>> open) {
        public Horizon {
            open = open.map(Set::copyOf);
        }
    }

    /**
     * Jobs that have ended.
     *
     * @param jobs one by one, each at its position, the oldest first
     * @param more how many have ended besides, all of them later than those
     * @param moreFailed how many of them have failed
     */
    record Ended(List<JobEnded> jobs, long more, long moreFailed) {
        public Ended {
            jobs = List.copyOf(jobs);
        }
    }

    record Fingerprints(String nodes, String leaders, String crons) {}
}
