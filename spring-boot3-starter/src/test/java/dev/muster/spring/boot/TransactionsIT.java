package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.runtime.MusterException;
import dev.muster.spring.SpringCurrentTransaction;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueuing joins transactions of the same pool, whatever is around it, and no others. */
@OnceForBoth
@ExtendWith(OutputCaptureExtension.class)
class TransactionsIT {
    private static final String NOT_JOINED = "a transaction is open, but not on the DataSource that Muster uses";

    private FreshDatabase database;
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
        pool = pool(database);
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

    private static MusterBuilder builder(DataSource dataSource) {
        return PooledMuster.builder(dataSource, Map.of());
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
                .currentTransaction(new SpringCurrentTransaction(wrapped))
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
        await("all connections are back in the pool")
                .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    /** @param autoCommit how the pool lends the connection that Spring keeps beside the transaction of the other pool */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionOfAnotherPoolIsNotJoinedAndSaidOnce(boolean autoCommit, CapturedOutput output) {
        try (PooledMuster it = new PooledMuster(autoCommit);
                HikariDataSource other = pool(it.database)) {
            TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(other));
            for (String text : List.of("in one that commits", "in one that rolls back")) {
                transactions.executeWithoutResult(status -> {
                    // Binds a connection of Muster's pool to the thread.
                    new JdbcTemplate(it.pool).queryForObject("SELECT 1", Integer.class);
                    it.enqueue(text);
                    assertThat(it.jobs()).as("enqueued at once").contains(text);
                    if (text.endsWith("back")) {
                        status.setRollbackOnly();
                    }
                });
            }
            assertThat(it.jobs()).containsExactly("in one that commits", "in one that rolls back");
        }
        assertThat(output.getAll()).containsOnlyOnce(NOT_JOINED);
    }

    /** As those of JTA: the connections know nothing of the transaction. */
    @Test
    void aTransactionWithoutAConnectionIsNotJoinedAndSaidOnce(CapturedOutput output) {
        try (PooledMuster it = new PooledMuster(true)) {
            TransactionTemplate transactions = new TransactionTemplate(new WithoutConnection());
            for (int i = 0; i < 2; i++) {
                transactions.executeWithoutResult(status -> {
                    it.enqueue("at once");
                    status.setRollbackOnly();
                });
            }
            assertThat(it.jobs()).hasSize(2);
        }
        assertThat(output.getAll()).containsOnlyOnce(NOT_JOINED);
    }

    private static final class WithoutConnection extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void aThreadWithoutATransactionEnqueuesAtOnce(CapturedOutput output) {
        try (PooledMuster it = new PooledMuster(true)) {
            TransactionTemplate supports = new TransactionTemplate(new DataSourceTransactionManager(it.pool));
            supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            it.enqueue("without anything");
            supports.executeWithoutResult(status -> {
                it.enqueue("in SUPPORTS");
                assertThat(it.jobs()).containsExactly("in SUPPORTS", "without anything");
            });
        }
        assertThat(output.getAll()).doesNotContain(NOT_JOINED);
    }

    /** Each enqueue in a transaction has a savepoint of its own, inside those of nested transactions. */
    @Test
    void nestedTransactionsTakeTheirOwnJobsWithThem() {
        try (PooledMuster it = new PooledMuster(true)) {
            Jobs jobs = it.muster.jobs();
            DataSourceTransactionManager manager = new DataSourceTransactionManager(it.pool);
            TransactionTemplate transactions = new TransactionTemplate(manager);
            TransactionTemplate nested = new TransactionTemplate(manager);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

            transactions.executeWithoutResult(outer -> {
                it.enqueue("a: before");
                nested.executeWithoutResult(inner -> {
                    jobs.enqueue(JobRequest.of("echo", "dropped, with a key").key("key"));
                    nested.executeWithoutResult(innermost -> it.enqueue("dropped with the one around it"));
                    inner.setRollbackOnly();
                });
                nested.executeWithoutResult(inner -> {
                    jobs.enqueue(
                            JobRequest.of("echo", "b: the key is free again").key("key"));
                    nested.executeWithoutResult(innermost -> {
                        it.enqueue("dropped alone");
                        innermost.setRollbackOnly();
                    });
                    assertThatThrownBy(() -> jobs.enqueueAll(List.of(
                                    JobRequest.of("echo", "dropped by its own savepoint"),
                                    JobRequest.of("echo", "\u0000 cannot be stored"))))
                            .isInstanceOf(MusterException.class);
                    it.enqueue("c: after a refused one");
                });
                Object savepoint = outer.createSavepoint();
                it.enqueue("dropped by hand");
                outer.rollbackToSavepoint(savepoint);
                outer.releaseSavepoint(savepoint);
                it.enqueue("d: after all");
            });

            assertThat(it.jobs())
                    .containsExactly("a: before", "b: the key is free again", "c: after a refused one", "d: after all");
        }
    }
}
