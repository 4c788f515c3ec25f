package dev.muster.migrating.jobrunr;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/** JobRunr on the database of a test. */
final class JobRunrNode implements AutoCloseable {
    private final JacksonJsonMapper json = new JacksonJsonMapper();
    private final StorageProvider storage;
    private final BackgroundJobServer server;

    JobRunrNode(DataSource database, Effects effects, Jobs jobs) {
        this.storage = SqlStorageProviderFactory.using(database);
        storage.setJobMapper(mapper());
        JobRunrSide.Mails mails = new JobRunrSide.Mails(effects);
        this.server = new BackgroundJobServer(
                storage,
                json,
                new Beans(List.of(
                        mails,
                        new JobRunrSide.WelcomeHandler(mails),
                        new JobRunrSide.ChargeHandler(effects),
                        new JobRunrSide.SyncHandler(effects),
                        new JobRunrSide.ReportTicks(storage, jobs))),
                usingStandardBackgroundJobServerConfiguration()
                        .andWorkerCount(2)
                        .andPollInterval(Duration.ofSeconds(5))
                        .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(5)));
        server.setJobFilters(List.of(new JobRunrSide.Watch(effects)));
    }

    JobMapper mapper() {
        return new JobMapper(json);
    }

    StorageProvider storage() {
        return storage;
    }

    JobScheduler lambdas() {
        return new JobScheduler(storage);
    }

    JobRequestScheduler requests() {
        return new JobRequestScheduler(storage);
    }

    void start() {
        server.start();
    }

    @Override
    public void close() {
        server.stop();
        storage.close();
    }

    private record Beans(List<Object> beans) implements JobActivator {
        @Override
        public <T> T activateJob(Class<T> type) {
            return beans.stream()
                    .filter(type::isInstance)
                    .map(type::cast)
                    .findFirst()
                    .orElseThrow();
        }
    }
}
