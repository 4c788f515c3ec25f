package dev.muster.schedule;

import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The port to the tables of crons. All times are the database's. Methods that take a transaction are the leader's. */
public interface CronStore {

    /**
     * Says that this node's code has these static crons, and puts the newest of what nodes say in force.
     *
     * @return whether any cron is new or has changed
     */
    boolean publish(Collection<CronDefinition> definitions);

    /**
     * Marks static crons that no node has published for so long as gone, and returns their names: they tick no more, and
     * keep their row and their next tick in case that a node publishes them again. Removes those that have been gone for
     * 30 days and are not paused.
     */
    List<String> markGone(Duration silence);

    /** False if there is one of that name. */
    boolean create(CronDefinition definition);

    /** Changes a dynamic cron; a tick that is due stays due. False if there is none of that name. */
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

    /**
     * What there is to do, in one statement.
     *
     * @param limit how many crons that are due it names at most, those that have been due for longest first
     * @param except crons that it does not name: somebody else has locked them
     */
    Agenda agenda(int limit, Collection<String> except);

    /** Those of these crons that are due, locked until the transaction ends. Those that others have locked are left out. */
    Due lockDue(Connection tx, Collection<String> names) throws SQLException;

    /** Writes the rows of ticks, and returns those that had none: the others have been handled by someone else. */
    Set<TickRow> recordTicks(Connection tx, List<TickRow> ticks) throws SQLException;

    /** Moves crons on. */
    void advance(Connection tx, List<Moved> crons) throws SQLException;

    /** Notes for each cron why its tick could not be fired. They are due again after this time. */
    void noteProblems(Connection tx, Map<String, String> problems, Duration retryAfter) throws SQLException;

    /** Drops a bounded number of tick rows older than this; true: there may be more. */
    boolean forgetTicks(Connection tx, Duration retain) throws SQLException;

    /**
     * Crons that are due, and how long until the next one is.
     *
     * @param next empty: none of the others will be
     */
    record Agenda(List<String> due, Optional<Duration> next) {}

    /**
     * Crons to be handled.
     *
     * @param now by the database's clock, after the locks were granted
     * @param live which of their last jobs have not ended
     */
    record Due(List<CronInfo> crons, Instant now, Set<JobId> live) {}

    /**
     * The row of a tick.
     *
     * @param job null: skipped
     */
    record TickRow(String cron, Instant tick, @Nullable JobId job) {}

    /**
     * Where a cron stands from now on.
     *
     * @param lastTick the last tick that gave a job, which is {@code lastJob}; null: none of those just handled did
     */
    record Moved(
            String cron,
            Instant nextTick,
            @Nullable Instant lastTick,
            @Nullable JobId lastJob) {}
}
