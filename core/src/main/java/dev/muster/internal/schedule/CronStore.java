package dev.muster.internal.schedule;

import dev.muster.job.JobId;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronTick;
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

/** The port to the tables of crons. All times are the database's. Only the leader calls methods that take a transaction. */
public interface CronStore {

    /**
     * Records that this node's code has these static crons, and puts the newest published definition of each into force.
     *
     * @return whether any cron is new or has changed
     */
    boolean publish(Collection<CronDefinition> definitions);

    /**
     * Marks static crons that no node has published for this long as gone, and returns their names. They no longer tick, but keep
     * their row and their next tick in case a node publishes them again. Removes crons that have been gone for 30 days and are
     * not paused.
     */
    List<String> markGone(Duration silence);

    /** Adds a dynamic cron; false if a cron of that name exists. */
    boolean create(CronDefinition definition);

    /**
     * Changes a dynamic cron; a tick that is due stays due.
     *
     * @param unchangedSince when its definition was last changed, as the caller knows it; empty if that does not matter
     * @return false if no dynamic cron has that name, or it was changed at another time
     */
    boolean update(CronDefinition definition, Optional<Instant> unchangedSince);

    /** Removes a dynamic cron, under the same condition. */
    boolean delete(String name, Optional<Instant> unchangedSince);

    /** Pauses a cron; false if there is none of that name. */
    boolean pause(String name);

    /** Lets a cron tick again, from a next tick that has to be recomputed; false if there is none of that name. */
    boolean resume(String name);

    /** The cron as people may see it: {@code database.read_url} may name a server that is a little behind. */
    Optional<CronInfo> find(String name);

    /** The cron as it is now, with everything that was committed before the call. */
    Optional<CronInfo> current(String name);

    /** Behind about 16 MB of args stands {@link dev.muster.internal.job.payload.LeftOut#TEXT} in their place. */
    List<CronInfo> list();

    /** The last ticks of a cron that were handled, the newest first, with what became of their jobs, as people may see them. */
    List<CronTick> history(String name, int limit);

    /** The current time by the database's clock. */
    Instant now();

    /** The current time by the clock of the server on which people read. */
    Instant readTime();

    /**
     * Which crons are due, in one statement.
     *
     * @param limit how many due crons are returned at most; those that have been due for longest come first
     * @param except crons that are left out, because another transaction has locked them
     */
    DueCrons dueCrons(int limit, Collection<String> except);

    /** Locks and returns those of these crons that are due. Crons that another transaction has locked are left out. */
    Due lockDue(Connection tx, Collection<String> names) throws SQLException;

    /** Inserts the rows of ticks, and returns those that did not exist: the other ticks have been handled already. */
    Set<TickRow> recordTicks(Connection tx, List<TickRow> ticks) throws SQLException;

    /** Writes the crons' next and last ticks. */
    void advance(Connection tx, List<Moved> crons) throws SQLException;

    /** Records for each cron why its tick could not be fired. The crons are due again after this time. */
    void noteProblems(Connection tx, Map<String, String> problems, Duration retryAfter) throws SQLException;

    /** Deletes a bounded number of tick rows older than this; true if there may be more. */
    boolean forgetTicks(Connection tx, Duration retain) throws SQLException;

    /**
     * Crons that are due, and the time until the next one is due.
     *
     * @param next empty if no other cron has a next tick
     */
    record DueCrons(List<String> due, Optional<Duration> next) {}

    /**
     * Crons that are due, and locked.
     *
     * @param now the time by the database's clock, after the locks were granted
     * @param live those of the crons' last jobs that have not ended
     */
    record Due(List<CronInfo> crons, Instant now, Set<JobId> live) {}

    /**
     * The row of a tick.
     *
     * @param job null if the tick was skipped
     */
    record TickRow(String cron, Instant tick, @Nullable JobId job) {}

    /**
     * The new position of a cron in its schedule.
     *
     * @param lastTick the last tick that enqueued a job, which is {@code lastJob}; null if none of those just handled did
     */
    record Moved(
            String cron,
            Instant nextTick,
            @Nullable Instant lastTick,
            @Nullable JobId lastJob) {}
}
