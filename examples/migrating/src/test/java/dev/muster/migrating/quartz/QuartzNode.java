package dev.muster.migrating.quartz;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.testkit.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreSupport;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** A clustered scheduler of Quartz on the database of a test. */
record QuartzNode(Scheduler scheduler) implements AutoCloseable {

    static void createTables(TestDatabase database) throws IOException {
        try (InputStream tables = JobStoreSupport.class.getResourceAsStream("tables_postgres.sql")) {
            database.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static QuartzNode on(DataSource database, Effects effects, Jobs jobs) throws SchedulerException {
        String cluster = "cluster-" + UUID.randomUUID();
        DBConnectionManager.getInstance().addConnectionProvider(cluster, new Pooled(database));
        Properties properties = new Properties();
        Map.of(
                        "scheduler.instanceName", cluster,
                        "scheduler.instanceId", "AUTO",
                        "scheduler.idleWaitTime", "1000",
                        "threadPool.threadCount", "2",
                        "jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX",
                        "jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate",
                        "jobStore.dataSource", cluster,
                        "jobStore.isClustered", "true")
                .forEach((key, value) -> properties.setProperty("org.quartz." + key, value));
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.getContext().put(QuartzSide.EFFECTS, effects);
        scheduler.getContext().put(QuartzSide.JOBS, jobs);
        return new QuartzNode(scheduler);
    }

    @Override
    public void close() throws SchedulerException {
        scheduler.shutdown(true);
    }

    private record Pooled(DataSource database) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return database.getConnection();
        }

        @Override
        public void shutdown() {
            // The pool belongs to the test.
        }

        @Override
        public void initialize() {
            // The pool is there.
        }
    }
}
