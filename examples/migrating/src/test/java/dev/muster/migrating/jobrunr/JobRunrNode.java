package dev.muster.migrating.jobrunr;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
    /** JobRunr allows no less than 5 s on a database, because of the load. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    /** A server that was silent for this many polls is dead for JobRunr: a minute, as machines may be busy. */
    private static final int POLLS_UNTIL_DEAD = 300;

    private final JacksonJsonMapper json = new JacksonJsonMapper();
    private final StorageProvider storage;
    private final BackgroundJobServer server;

    JobRunrNode(DataSource database, Effects effects, Jobs jobs) {
        this.storage = withAnyInterval(SqlStorageProviderFactory.using(database));
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
                        .andPollInterval(POLL_INTERVAL)
                        .andServerTimeoutPollIntervalMultiplicand(POLLS_UNTIL_DEAD)
                        .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(5)));
        server.setJobFilters(List.of(new JobRunrSide.Watch(effects)));
    }

    private static StorageProvider withAnyInterval(StorageProvider storage) {
        return (StorageProvider) Proxy.newProxyInstance(
                JobRunrNode.class.getClassLoader(), new Class<?>[] {StorageProvider.class}, (proxy, method, args) -> {
                    if (method.getName().equals("validatePollInterval")
                            || method.getName().equals("validateRecurringJobInterval")) {
                        return null;
                    }
                    try {
                        return method.invoke(storage, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
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
