package dev.muster.schedule;

import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Look at crons, steer them, and create them at run time. Safe for many threads. */
public interface Crons {

    /** All crons by name, static and dynamic. */
    List<CronInfo> list();

    Optional<CronInfo> find(String name);

    /**
     * Adds a cron; its first tick is the next one after now.
     *
     * @throws InvalidCron if there is one of that name
     */
    CronInfo create(CronSpec spec);

    /**
     * What a cron is, with its args as they were given: change some of it, and pass it to {@link #update}.
     *
     * @throws dev.muster.job.UnreadablePayload if its args are encrypted with a key that this process lacks
     */
    Optional<CronSpec> spec(String name);

    /**
     * Changes a cron that was created at run time. Its next tick is the first of the new schedule after now; whether it
     * is paused stays.
     *
     * @throws InvalidCron if there is none of that name, or it is defined in code
     */
    CronInfo update(CronSpec spec);

    /**
     * Removes a cron that was created at run time. Jobs that it has enqueued stay.
     *
     * @return false if there was none of that name
     * @throws InvalidCron if it is defined in code
     */
    boolean delete(String name);

    /** Stops its ticks. What passes meanwhile is skipped, not made up for. */
    CronInfo pause(String name);

    /** Lets it tick again, from the next tick on. */
    CronInfo resume(String name);

    /** Enqueues its job at once, outside the schedule, also while it is paused. */
    JobId trigger(String name);

    /** A preview: the ticks after now, so many of them, as if it were not paused. */
    List<Instant> next(String name, int count);
}
