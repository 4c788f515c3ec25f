package dev.muster.schedule;

import dev.muster.job.JobContext;
import java.time.Duration;
import java.time.Instant;

/** A job's context, with what a cron's method can know about its tick. */
public interface CronContext extends JobContext {

    /** The tick that this run is for. For a run triggered by hand, the time of the trigger by the database's clock. */
    Instant tick();

    /** Whether the tick was missed and this run catches up on it. */
    boolean isCatchUp();

    /** How long after the tick its job was enqueued, by the database's clock; zero for a run triggered by hand. */
    Duration lateness();

    /** Whether this run was triggered by hand, outside the schedule. */
    boolean isTriggered();
}
