package dev.muster.schedule;

import dev.muster.job.JobId;
import dev.muster.runtime.Writes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Lists, pauses, resumes and triggers crons, and creates them at run time. Thread-safe. */
public interface Crons {

    /**
     * All crons, static and dynamic, sorted by name. They have about 16 MB of args together; instead of what comes behind them stands {@code
     * {"$muster": "left out: …"}}: {@link #find} has it.
     */
    List<CronInfo> list();

    Optional<CronInfo> find(String name);

    /**
     * Adds a cron; its first tick is the next one after now.
     *
     * @throws InvalidCron if a cron of that name exists
     */
    @Writes("create crons")
    CronInfo create(CronSpec spec);

    /**
     * The spec of a cron with its decrypted args. Change it and pass it to {@link #update} to change the cron.
     *
     * @throws dev.muster.job.UnreadablePayload if its args are encrypted with a key that this process lacks
     */
    Optional<CronSpec> spec(String name);

    /**
     * Changes a cron that was created at run time. Its next tick is the first one of the new schedule after now; a paused cron
     * stays paused.
     *
     * @throws InvalidCron if no cron has that name, or it is defined in code
     */
    @Writes("change crons")
    CronInfo update(CronSpec spec);

    /**
     * The same, if nobody else has changed the cron since the caller has read it.
     *
     * @param unchangedSince {@link CronInfo#updatedAt} of what the caller has read
     * @throws CronChanged if somebody has; nothing was written
     */
    @Writes("change crons")
    CronInfo update(CronSpec spec, Instant unchangedSince);

    /**
     * Removes a cron that was created at run time. Jobs that it has enqueued stay.
     *
     * @return false if no cron had that name
     * @throws InvalidCron if the cron is defined in code
     */
    @Writes("delete crons")
    boolean delete(String name);

    /**
     * The same, if nobody else has changed the cron since the caller has read it.
     *
     * @param unchangedSince {@link CronInfo#updatedAt} of what the caller has read
     * @throws CronChanged if somebody has; nothing was written
     */
    @Writes("delete crons")
    boolean delete(String name, Instant unchangedSince);

    /** Stops the cron's ticks. Ticks that pass while it is paused are dropped. */
    @Writes("pause crons")
    CronInfo pause(String name);

    /** Lets the cron tick again, from its next tick on. */
    @Writes("resume crons")
    CronInfo resume(String name);

    /** Enqueues the cron's job at once, outside the schedule, even while the cron is paused. */
    @Writes("trigger crons")
    JobId trigger(String name);

    /** A preview of the next {@code count} ticks after now, as if the cron were not paused. */
    List<Instant> next(String name, int count);

    /**
     * The last ticks of a cron that were handled, the newest first, with what became of their jobs. They are kept for a while.
     *
     * @param limit 1 to 1,000
     */
    List<CronTick> history(String name, int limit);
}
