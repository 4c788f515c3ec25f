package dev.muster.spring.boot;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobHandler;
import dev.muster.job.JobRequest;
import dev.muster.spring.SpringCurrentTransaction;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A Muster that joins the transactions of a pool, on a database of its own that has its tables. */
final class PooledMuster implements AutoCloseable {
    final FreshDatabase database = FreshDatabase.migrated();
    final HikariDataSource pool = new HikariDataSource();
    final Muster muster;

    /** @param autoCommit how the pool lends its connections */
    PooledMuster(boolean autoCommit) {
        this(autoCommit, Map.of());
    }

    PooledMuster(boolean autoCommit, Map<String, String> settings) {
        pool.setJdbcUrl(database.url);
        pool.setMaximumPoolSize(5);
        pool.setAutoCommit(autoCommit);
        muster = builder(pool, settings)
                .currentTransaction(new SpringCurrentTransaction(pool))
                .build();
    }

    static MusterBuilder builder(DataSource dataSource, Map<String, String> settings) {
        JobHandler echo = JobHandler.named("echo").args(String.class).handle((ctx, text) -> text);
        return Muster.builder()
                .config(MusterConfig.defaults().with(settings))
                .dataSource(dataSource)
                .register(echo);
    }

    void enqueue(String text) {
        muster.jobs().enqueue(JobRequest.of("echo", text));
    }

    /** The args of the jobs that others see. */
    List<String> jobs() {
        return database.column("SELECT args #>> '{}' FROM muster_jobs ORDER BY 1");
    }

    @Override
    public void close() {
        muster.close();
        pool.close();
        database.close();
    }
}
