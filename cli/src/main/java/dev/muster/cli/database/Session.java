package dev.muster.cli.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobOptions;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.store.HandlerDirectory;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.PostgresStoreProvider;
import dev.muster.postgres.jobs.KnownNames;
import dev.muster.upkeep.JobMetrics;
import dev.muster.upkeep.UpkeepStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command's access to the cluster: it can read and enqueue, but runs no jobs. */
public final class Session implements AutoCloseable {
    private static final int CONNECTIONS = 2;

    private final HikariDataSource pool;
    private final PostgresStore store;
    private final Muster muster;

    private Session(HikariDataSource pool, MusterConfig config) {
        this.pool = pool;
        this.store = (PostgresStore) new PostgresStoreProvider().open(pool, config);
        this.muster = Muster.builder().config(config).dataSource(pool).build();
    }

    /** @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached */
    public static Session open(MusterConfig config) {
        Connections connections = new Connections(config.database()).check();
        return new Session(connections.pool("muster-cli", CONNECTIONS), config);
    }

    public Muster muster() {
        return muster;
    }

    public Jobs jobs() {
        return muster.jobs();
    }

    public Queues queues() {
        return muster.queues();
    }

    /** The jobs that live nodes can run; empty if there is no such node. */
    public Map<String, JobOptions> publishedHandlers() {
        HandlerDirectory directory = store.nodes();
        return directory.published(null);
    }

    /** The names of jobs and queues that occur in the database. */
    public KnownNames knownNames() {
        return store.knownNames();
    }

    /** Hints about a job name and a queue that do not occur in the database; null for one that was not given. */
    public List<String> sentencesAboutUnknown(@Nullable String job, @Nullable String queue) {
        return job == null && queue == null ? List.of() : knownNames().sentencesAboutUnknown(job, queue);
    }

    /** The metrics of this much time up to now. */
    public JobMetrics figures(Duration since) {
        return store.port(UpkeepStore.class).figures(since);
    }

    /** Migrates or checks the tables, depending on {@code database.migrate}. */
    public void prepareTables() {
        muster.migrate();
    }

    @Override
    public void close() {
        muster.close();
        pool.close();
    }
}
