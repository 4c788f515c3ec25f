package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.migrating.dbscheduler.DbSchedulerTable;
import dev.muster.spring.SpringCurrentTransaction;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.time.Instant;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Which of the libraries are in a transaction of Spring. Quartz has a test of its own. */
@MusterTest
class SpringTransactionsIT {

    public static void doNothing() {}

    @Test
    void dbSchedulerAndMusterJoinAndJobRunrDoesNot(TestDatabase database) {
        DbSchedulerTable.create(database);
        OneTimeTask<Void> task = Tasks.oneTime("old").execute((instance, context) -> {});
        SchedulerClient dbScheduler = SchedulerClient.Builder.create(
                        new TransactionAwareDataSourceProxy(database.dataSource()), task)
                .build();
        StorageProvider storage = SqlStorageProviderFactory.using(database.dataSource());
        storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
        JobScheduler jobRunr = new JobScheduler(storage);
        TransactionTemplate transaction =
                new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .currentTransaction(new SpringCurrentTransaction(database.dataSource()))
                .build()) {
            transaction.executeWithoutResult(status -> {
                dbScheduler.scheduleIfNotExists(task.instance("1"), Instant.now());
                muster.jobs().enqueue(MusterSide.WELCOME, new Welcome("ada@example.com", 42));
                jobRunr.enqueue(() -> doNothing());
                status.setRollbackOnly();
            });
        }
        assertThat(database.number("SELECT count(*) FROM scheduled_tasks")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(database.number("SELECT count(*) FROM jobrunr_jobs")).isEqualTo(1);
        storage.close();
    }
}
