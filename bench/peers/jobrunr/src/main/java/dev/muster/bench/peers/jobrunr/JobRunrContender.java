package dev.muster.bench.peers.jobrunr;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.bench.contender.Site;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.postgresql.ds.PGSimpleDataSource;

/** JobRunr, open source. */
public final class JobRunrContender implements Contender {
    private static final int POOL = 24;

    @Override
    public String name() {
        return "jobrunr";
    }

    @Override
    public Kind kind() {
        return Kind.PEER;
    }

    @Override
    public String about() {
        return "JobRunr open source, job requests, poll interval 5 s (its shortest), default worker count, saved in bulk";
    }

    @Override
    public double share() {
        return 0.1;
    }

    @Override
    public Site open(String url) {
        return new JobRunrSite(url);
    }

    private static final class JobRunrSite implements Site {
        private final HikariDataSource pool;
        private final JacksonJsonMapper json = new JacksonJsonMapper();
        private final StorageProvider storage;
        private final JobRequestScheduler scheduler;

        JobRunrSite(String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            source.setReWriteBatchedInserts(true);
            HikariConfig config = new HikariConfig();
            config.setDataSource(source);
            config.setMaximumPoolSize(POOL);
            config.setPoolName("jobrunr");
            this.pool = new HikariDataSource(config);
            this.storage = SqlStorageProviderFactory.using(pool);
            storage.setJobMapper(new JobMapper(json));
            this.scheduler = new JobRequestScheduler(storage);
        }

        @Override
        public void enqueue(int first, int count) {
            if (count == 1) {
                scheduler.enqueue(new Confirmation(Payload.number(first)));
                return;
            }
            scheduler.enqueue(IntStream.range(first, first + count).mapToObj(i -> new Confirmation(Payload.number(i))));
        }

        @Override
        public Work start(Handled handled) {
            BackgroundJobServer server = new BackgroundJobServer(
                    storage,
                    json,
                    new OneHandler(new ConfirmationHandler(handled)),
                    usingStandardBackgroundJobServerConfiguration()
                            .andPollInterval(Duration.ofSeconds(5))
                            .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(5)));
            server.start();
            return new Work() {
                @Override
                public void pause() {
                    server.pauseProcessing();
                }

                @Override
                public void resume() {
                    server.resumeProcessing();
                }

                @Override
                public void close() {
                    server.stop();
                }
            };
        }

        @Override
        public long left() throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows =
                            statement.executeQuery("select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'")) {
                rows.next();
                return rows.getLong(1);
            }
        }

        @Override
        public void close() {
            scheduler.shutdown();
            storage.close();
            pool.close();
        }
    }

    private record OneHandler(ConfirmationHandler handler) implements JobActivator {
        @Override
        public <T> T activateJob(Class<T> type) {
            return type.cast(handler);
        }
    }
}
