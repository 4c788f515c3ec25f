package dev.muster.upkeep;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The port to what upkeep does. Every call works in the transaction it is given. */
public interface UpkeepStore {

    /** Drops the oldest day that lies wholly before the retention. Takes no longer than 200 ms to find that it may not. */
    Dropped dropOldestDay(Connection tx, Days of, Duration retain) throws SQLException;

    /** Forgets some keys whose job ended that long ago; 0: none is left. */
    int forgetKeys(Connection tx, Duration retain) throws SQLException;

    /**
     * Writes the figures of the next minute that has none, if it is over.
     *
     * @return how long to wait before there is another one to write; zero: it is there already
     */
    Duration writeMinute(Connection tx) throws SQLException;

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
        /** Someone reads or writes it: come back soon. */
        BUSY
    }
}
