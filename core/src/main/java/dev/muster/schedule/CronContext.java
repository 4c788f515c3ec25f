package dev.muster.schedule;

import dev.muster.job.JobContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/** What a cron's method knows about its tick, besides what every job knows. */
public interface CronContext extends JobContext {

    /** The tick this run is for. Of a run that was triggered by hand: the moment of that, by the database's clock. */
    Instant tick();

    /** Whether the tick was missed and is made up for. */
    boolean isCatchUp();

    /** How long after the tick its job was enqueued, by the database's clock; zero for a run triggered by hand. */
    Duration lateness();

    /** Whether someone asked for this run, outside the schedule. */
    boolean isTriggered();

    /** A connection of the pool that Muster uses, in autocommit mode. The caller closes it, best with try. */
    Connection connection() throws SQLException;
}
