package dev.muster.schedule;

import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The port to the tables of crons. All times are the database's. Methods that take a transaction are the leader's. */
public interface CronStore {

    /**
     * Says that this node's code has these static crons, and puts the newest of what nodes say in force.
     *
     * @return whether any cron is new or has changed
     */
    boolean publish(Collection<CronDefinition> definitions);

    /** Removes static crons that no node has published for so long, and returns their names. */
    List<String> removeGone(Duration silence);

    /** False if there is one of that name. */
    boolean create(CronDefinition definition);

    /** Changes a dynamic cron; false if there is none of that name. */
    boolean update(CronDefinition definition);

    /** Removes a dynamic cron; false if there is none of that name. */
    boolean delete(String name);

    /** False if there is none of that name. */
    boolean pause(String name);

    /** Its next tick has to be computed anew; false if there is none of that name. */
    boolean resume(String name);

    Optional<CronInfo> find(String name);

    List<CronInfo> list();

    /** What the database takes for the present. */
    Instant now();

    /** What there is to do, in one statement. */
    Agenda agenda(int limit);

    /** The cron if its tick is due or has to be computed, locked until the transaction ends. */
    Optional<Due> lockDue(Connection tx, String name) throws SQLException;

    /**
     * Writes the row of a tick.
     *
     * @param job null: skipped
     * @return false if the tick has its row already: someone else handled it
     */
    boolean recordTick(Connection tx, String name, Instant tick, @Nullable JobId job) throws SQLException;

    /** Whether this job has not ended. */
    boolean isLive(Connection tx, JobId job) throws SQLException;

    /**
     * Moves a cron on.
     *
     * @param lastTick null: none of its ticks gave a job
     */
    void advance(Connection tx, String name, Instant nextTick, @Nullable Instant lastTick, @Nullable JobId lastJob)
            throws SQLException;

    /** Notes why a cron's tick could not be fired. */
    void noteProblem(Connection tx, String name, String problem) throws SQLException;

    /** Drops a bounded number of tick rows older than this. */
    int forgetTicks(Connection tx, Duration retain) throws SQLException;

    /**
     * Crons that are due, and how long until the next one is.
     *
     * @param next empty: none of the others will be
     */
    record Agenda(List<String> due, Optional<Duration> next) {}

    /**
     * A cron to be handled.
     *
     * @param now by the database's clock, after the lock was granted
     */
    record Due(CronInfo cron, Instant now) {}
}
