package dev.muster.upkeep;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The port to what upkeep does. Calls work in the transaction they are given. */
public interface UpkeepStore {

    /** Drops the oldest day that lies wholly before the retention. Takes no longer than 200 ms to find that it may not. */
    Dropped dropOldestDay(Connection tx, Days of, Duration retain) throws SQLException;

    /** Forgets, on one stretch of the table from this page on, the keys whose job ended that long ago. */
    Stretch forgetKeys(Connection tx, Duration retain, long fromPage) throws SQLException;

    /** Removes, on one stretch of the table from this page on, the locks that have been free for that long. */
    Stretch forgetLocks(Connection tx, Duration freeFor, long fromPage) throws SQLException;

    /**
     * Writes the figures of the next minute that has none, if it is over. A minute whose jobs take too long to count stays
     * without, and the next call goes on with the one after it.
     *
     * @return how long to wait before there is another one to write; zero: it is there already
     */
    Duration writeMinute(Connection tx) throws SQLException;

    /** The figures of this much time up to now, at least of one minute; in a transaction of its own. */
    JobMetrics figures(Duration since);

    /** What is kept by day. */
    enum Days {
        HISTORY,
        JOB_LOGS,
        METRICS
    }

    /** What became of an attempt to drop a day. */
    enum Dropped {
        ONE,
        /** There is none to drop. */
        NONE,
        /** Someone reads or writes it: come back later. */
        BUSY
    }

    /**
     * A part of a table that was walked.
     *
     * @param forgotten how many rows were removed
     * @param nextPage where the next stretch begins; 0: this one was the last
     */
    record Stretch(int forgotten, long nextPage) {}
}
