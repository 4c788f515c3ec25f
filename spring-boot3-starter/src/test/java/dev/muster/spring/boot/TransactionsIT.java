package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobHandler;
import dev.muster.job.JobRequest;
import dev.muster.spring.SpringTransactionScope;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueuing joins transactions of the same pool, whatever is around it, and no others. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionsIT {
    private FreshDatabase database;
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        pool = pool(database);
        try (Muster muster = builder(pool).build()) {
            muster.migrate();
        }
    }

    private static HikariDataSource pool(FreshDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.url);
        pool.setMaximumPoolSize(3);
        return pool;
    }

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    private static Muster.Builder builder(DataSource dataSource) {
        JobHandler echo = JobHandler.named("echo").args(String.class).handle((ctx, text) -> text);
        return Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(dataSource)
                .register(echo);
    }

    private long jobs() {
        return database.number("SELECT count(*) FROM muster_jobs");
    }

    /** What applications put around a pool. */
    enum Wrapping {
        NONE(pool -> pool),
        TRANSACTION_AWARE(TransactionAwareDataSourceProxy::new),
        LAZY(LazyConnectionDataSourceProxy::new),
        LAZY_IN_DELEGATE(pool -> new DelegatingDataSource(new LazyConnectionDataSourceProxy(pool))),
        OBSERVED(pool -> (DataSource) new ProxyFactory(pool).getProxy());

        final UnaryOperator<DataSource> around;

        Wrapping(UnaryOperator<DataSource> around) {
            this.around = around;
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobsFollowTheTransactionOfTheSamePool(Wrapping wrapping) {
        DataSource wrapped = wrapping.around.apply(pool);
        TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(wrapped));
        try (Muster muster = builder(pool)
                .transactionScope(new SpringTransactionScope(wrapped))
                .build()) {
            transactions.executeWithoutResult(status -> {
                muster.jobs().enqueue(JobRequest.of("echo", "kept"));
                assertThat(jobs()).as("seen by others before the commit").isZero();
            });
            assertThat(jobs()).isEqualTo(1);

            transactions.executeWithoutResult(status -> {
                muster.jobs().enqueue(JobRequest.of("echo", "dropped"));
                status.setRollbackOnly();
            });
            assertThat(jobs()).isEqualTo(1);
        }
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void aTransactionOfAnotherPoolIsNotJoinedAndSaidOnce(CapturedOutput output) {
        try (HikariDataSource other = pool(database);
                Muster muster = builder(pool)
                        .transactionScope(new SpringTransactionScope(pool))
                        .build()) {
            TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(other));
            for (int i = 0; i < 2; i++) {
                transactions.executeWithoutResult(status -> {
                    // Binds a connection of Muster's pool to the thread, in autocommit mode.
                    new JdbcTemplate(pool).queryForObject("SELECT 1", Integer.class);
                    muster.jobs().enqueue(JobRequest.of("echo", "at once"));
                    status.setRollbackOnly();
                });
            }
        }
        assertThat(jobs()).isEqualTo(2);
        assertThat(output.getAll())
                .containsOnlyOnce("a transaction is open, but not on the DataSource that Muster uses");
    }
}
