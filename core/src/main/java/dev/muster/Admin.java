package dev.muster;

import dev.muster.job.HandlerInfo;
import dev.muster.job.KnownNames;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.runtime.Writes;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What operators and their tools ask about a cluster beside its jobs, queues and crons: what its nodes can run, its metrics, and the
 * state of its tables. The command line uses nothing else.
 */
public interface Admin {

    /** The jobs that live nodes have handlers for, with the handlers' options; empty if there is no such node. */
    Map<String, HandlerInfo> handlers();

    /** The names of jobs and queues that occur in the database, to suggest one for a mistyped name. */
    KnownNames knownNames();

    /** The metrics of this much time up to now, at least one minute. */
    JobMetrics metrics(Duration since);

    /**
     * The metrics of each minute of this much time up to now, by queue. If there are many queues, those with the most jobs: so many that
     * there are no more than 20,000 minutes, and 50 at most.
     *
     * @param since one minute to one day
     * @param queue only this queue
     */
    MinuteMetrics minutes(Duration since, Optional<String> queue);

    /**
     * Concurrency groups that have jobs, in the order of their names.
     *
     * @param limit 1 to 1,000
     * @param after only groups after this one; empty for the first
     */
    ConcurrencyGroupUsage.Page concurrencyGroups(int limit, Optional<String> after);

    /**
     * The rate limits of which permits were taken in the current window, the most used first, as far as the database counts them.
     *
     * @param limit 1 to 1,000
     */
    List<RateLimitUsage> rateLimits(int limit);

    /**
     * How far the server of {@code database.read_url} is behind the primary, as far as it knows: it notices only after {@code
     * wal_receiver_timeout} that the primary has gone silent. Empty if the setting is not made, or if the server cannot tell.
     */
    Optional<Duration> replicaLag();

    /** All migrations that this program knows, in the order in which they are applied. */
    List<Migration> migrations();

    /** Applies the missing migrations, whatever {@code database.migrate} is set to, and returns their names. */
    @Writes("migrate tables")
    List<String> migrateUp();

    /**
     * The statements that grant a role access to Muster's tables and nothing else.
     *
     * @param readOnly whether the role may only read
     * @throws dev.muster.runtime.MusterException if there is no such role, or there are no tables
     */
    List<String> grants(String role, boolean readOnly);

    /**
     * Which encryption keys stored values need. Reads all live jobs.
     *
     * @param history whether to count ended jobs too, which reads all of history
     */
    List<EncryptionKeyUse> encryptionKeyUses(boolean history);

    /** A migration, and whether the database has it. */
    record Migration(String name, boolean applied) {}
}
