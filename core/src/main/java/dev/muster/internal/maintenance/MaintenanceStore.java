package dev.muster.internal.maintenance;

import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The port for maintenance. Methods that take a connection work in its transaction. */
public interface MaintenanceStore {

    /** Drops the oldest day if all of it is older than the retention. Waits at most 200 ms for transactions that use the day. */
    Dropped dropOldestDay(Connection tx, Days of, Duration retain) throws SQLException;

    /** Removes the keys whose job ended longer ago than {@code retain}, on one stretch of the table from this page on. */
    Stretch forgetKeys(Connection tx, Duration retain, long fromPage) throws SQLException;

    /** Removes the locks that have been free for longer than {@code freeFor}, on one stretch of the table from this page on. */
    Stretch forgetLocks(Connection tx, Duration freeFor, long fromPage) throws SQLException;

    /** Removes the counts of rate limits whose window ended longer ago than {@code endedFor}, on one stretch of the table from this page on. */
    Stretch forgetRateLimits(Connection tx, Duration endedFor, long fromPage) throws SQLException;

    /** Removes placements that nobody has enqueued with for a day and that no job has any more. Returns how many. */
    int forgetPlacements(Connection tx) throws SQLException;

    /**
     * Writes the metrics of the next minute that has none, if that minute is over. A minute whose jobs take too long to count is
     * left out, and the next call continues with the minute after it.
     *
     * @return how long to wait until the next minute can be written; zero if it can be already
     */
    Duration writeMinute(Connection tx) throws SQLException;

    /** Reads the metrics of this much time up to now, at least one minute. Opens its own transaction. */
    JobMetrics figures(Duration since);

    /**
     * Reads the metrics of each minute of this much time up to now, by queue, those with the most jobs.
     *
     * @param since whole minutes, at least one
     * @param queue only this queue
     * @param mostQueues how many queues at most
     */
    MinuteMetrics minutes(Duration since, Optional<String> queue, int mostQueues);

    /** Reads the metrics of the last minutes, all queues together: exactly this many minutes, zeros where no job ended. */
    List<MinuteMetrics.Minute> lastMinutes(int minutes);

    /** The tables that are partitioned by day. */
    enum Days {
        HISTORY,
        JOB_LOGS,
        ATTEMPTS,
        METRICS
    }

    /** The result of an attempt to drop a day. */
    enum Dropped {
        ONE,
        /** No day is old enough. */
        NONE,
        /** A transaction reads or writes the day: try again later. */
        BUSY
    }

    /**
     * The result of walking through a stretch of a table.
     *
     * @param forgotten how many rows were removed
     * @param nextPage the page at which the next stretch begins; 0 if this was the last one
     */
    record Stretch(int forgotten, long nextPage) {}
}
