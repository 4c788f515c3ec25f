package dev.muster.bench;

import java.sql.SQLException;
import java.time.Duration;

/** A contender at work on one database. */
interface Site extends AutoCloseable {

    /** Enqueues jobs in one transaction, due at once. Called by several threads. */
    void enqueue(int first, int count) throws Exception;

    /** Runs what was enqueued until all of it is done, or until the time is up. Called once. */
    Tally process(int jobs, Duration atMost) throws Exception;

    /**
     * Checks that these jobs were enqueued, and that as many are done as {@link #process} said.
     *
     * @throws IllegalStateException if not: the measurement is worth nothing
     */
    void verify(int enqueued, long done) throws Exception;

    @Override
    void close() throws SQLException;

    /** Jobs done, and the time from the first start to the last commit. */
    record Tally(long done, long nanos) {
        double perSecond() {
            return done * 1e9 / nanos;
        }
    }

    /** A site whose workers are woken up by new jobs. */
    interface Waking extends Site {

        /**
         * Enqueues one job at a time while nothing else is going on, and returns how long each took to start
         * on another node.
         *
         * @param inTransaction enqueue in a transaction of the caller's and count from just before its commit;
         *     else count from just before the call that enqueues
         */
        long[] startDelays(int jobs, boolean inTransaction) throws Exception;
    }
}
