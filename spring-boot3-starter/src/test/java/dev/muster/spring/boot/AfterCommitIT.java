package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is enqueued when a transaction is over, but its connection is still bound to the thread, is not lost. */
@OnceForBoth
@ExtendWith(OutputCaptureExtension.class)
class AfterCommitIT {

    /** Who begins and commits transactions. */
    enum Manager {
        JDBC {
            @Override
            PlatformTransactionManager on(DataSource pool) {
                return new DataSourceTransactionManager(pool);
            }
        },
        JPA {
            @Override
            PlatformTransactionManager on(DataSource pool) {
                LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
                factory.setDataSource(pool);
                factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
                factory.setPackagesToScan("dev.muster.spring.shop");
                factory.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "none");
                factory.afterPropertiesSet();
                return new JpaTransactionManager(Objects.requireNonNull(factory.getObject()));
            }
        };

        abstract PlatformTransactionManager on(DataSource pool);
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    /** Registered before Muster takes part, it has its turn before Muster's own. */
    private static void firstOfAllAfterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return Ordered.HIGHEST_PRECEDENCE;
            }

            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    private static void afterCompletion(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                action.run();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void whatIsEnqueuedAfterTheCommitIsKept(Manager manager, boolean autoCommit, CapturedOutput output) {
        try (PooledMuster it = new PooledMuster(autoCommit)) {
            TransactionTemplate transactions = new TransactionTemplate(manager.on(it.pool));

            transactions.executeWithoutResult(status -> afterCommit(() -> it.enqueue("first in afterCommit")));
            assertThat(it.jobs()).containsExactly("first in afterCommit");

            transactions.executeWithoutResult(status -> {
                it.enqueue("in the transaction");
                afterCommit(() -> it.enqueue("second in afterCommit"));
                afterCompletion(() -> it.enqueue("in afterCompletion"));
            });
            assertThat(it.jobs())
                    .containsExactly(
                            "first in afterCommit",
                            "in afterCompletion",
                            "in the transaction",
                            "second in afterCommit");

            transactions.executeWithoutResult(status -> {
                it.enqueue("rolled back");
                afterCommit(() -> it.enqueue("after a commit that never was"));
                afterCompletion(() -> it.enqueue("after the rollback"));
                status.setRollbackOnly();
            });
            assertThat(it.jobs()).hasSize(5).contains("after the rollback");
            await("all connections are back in the pool")
                    .until(() -> it.pool.getHikariPoolMXBean().getActiveConnections() == 0);
        }
        assertThat(output.getAll()).doesNotContain("a transaction is open, but not on the DataSource");
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void whatIsEnqueuedAfterTheCommitBeforeMustersOwnTurnIsKept(Manager manager, boolean autoCommit) {
        try (PooledMuster it = new PooledMuster(autoCommit)) {
            TransactionTemplate transactions = new TransactionTemplate(manager.on(it.pool));

            transactions.executeWithoutResult(status -> {
                firstOfAllAfterCommit(() -> it.enqueue("in afterCommit"));
                it.enqueue("in the transaction");
            });

            assertThat(it.jobs()).containsExactly("in afterCommit", "in the transaction");
        }
    }

    @Test
    void aNewTransactionInAfterCommitDecidesForItself() {
        try (PooledMuster it = new PooledMuster(false)) {
            PlatformTransactionManager manager = Manager.JDBC.on(it.pool);
            TransactionTemplate transactions = new TransactionTemplate(manager);
            TransactionTemplate fresh = new TransactionTemplate(manager);
            fresh.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);

            transactions.executeWithoutResult(status -> {
                it.enqueue("outer");
                afterCommit(() -> {
                    fresh.executeWithoutResult(inner -> it.enqueue("kept"));
                    fresh.executeWithoutResult(inner -> {
                        it.enqueue("dropped");
                        inner.setRollbackOnly();
                    });
                    it.enqueue("after both");
                });
            });
            assertThat(it.jobs()).containsExactly("after both", "kept", "outer");
        }
    }

    /** The node would look for jobs by itself only after an hour. */
    @Test
    void workersAreWokenByTheCommit() {
        Map<String, String> slow = Map.of("worker.poll_interval", "1h", "worker.max_poll_interval", "1h");
        try (PooledMuster it = new PooledMuster(false, slow)) {
            Jobs jobs = it.muster.jobs();
            TransactionTemplate transactions = new TransactionTemplate(Manager.JDBC.on(it.pool));
            it.muster.start();
            AtomicReference<JobId> late = new AtomicReference<>();
            AtomicReference<JobId> first = new AtomicReference<>();
            AtomicReference<JobId> last = new AtomicReference<>();

            transactions.executeWithoutResult(status -> {
                first.set(jobs.enqueue(JobRequest.of("echo", "in the transaction")));
                // While this waits, a node that was woken too early looks for the job, and finds none.
                ended(jobs, inAnotherThread(() -> jobs.enqueue(JobRequest.of("echo", "meanwhile"))));
                afterCommit(() -> late.set(jobs.enqueue(JobRequest.of("echo", "in afterCommit"))));
                afterCompletion(() -> last.set(jobs.enqueue(JobRequest.of("echo", "in afterCompletion"))));
            });
            for (AtomicReference<JobId> id : List.of(first, late, last)) {
                ended(jobs, id.get());
            }
        }
    }

    @Test
    void workersAreWokenEvenIfTheApplicationFailsAfterTheCommit() {
        Map<String, String> slow = Map.of("worker.poll_interval", "1h", "worker.max_poll_interval", "1h");
        try (PooledMuster it = new PooledMuster(true, slow)) {
            Jobs jobs = it.muster.jobs();
            TransactionTemplate transactions = new TransactionTemplate(Manager.JDBC.on(it.pool));
            it.muster.start();
            AtomicReference<JobId> id = new AtomicReference<>();

            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                        afterCommit(() -> {
                            id.set(jobs.enqueue(JobRequest.of("echo", "before the failure")));
                            throw new IllegalStateException("the application fails");
                        });
                    }))
                    .isInstanceOf(IllegalStateException.class);
            ended(jobs, id.get());
        }
    }

    private static void ended(Jobs jobs, JobId id) {
        assertThat(jobs.await(id, Duration.ofSeconds(60)).status()).isEqualTo(JobStatus.COMPLETED);
    }

    private static <T> T inAnotherThread(Supplier<T> action) {
        return CompletableFuture.supplyAsync(action).join();
    }

    /** Something was placed. */
    record Placed(String what) {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAsync
    static class Application {}

    static class Shop {
        private final ApplicationEventPublisher events;
        private final Background background;

        Shop(ApplicationEventPublisher events, Background background) {
            this.events = events;
            this.background = background;
        }

        @Transactional
        public void place(String what) {
            events.publishEvent(new Placed(what));
        }

        @Transactional
        public CompletableFuture<Void> placeInBackgroundAndFail(String what) {
            background.enqueue(what).join();
            throw new IllegalStateException("as it should");
        }
    }

    static class Listeners {
        private final Jobs jobs;

        Listeners(Jobs jobs) {
            this.jobs = jobs;
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void before(Placed event) {
            jobs.enqueue(JobRequest.of("echo", event.what() + " before"));
        }

        @TransactionalEventListener
        public void after(Placed event) {
            jobs.enqueue(JobRequest.of("echo", event.what() + " after"));
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void completed(Placed event) {
            jobs.enqueue(JobRequest.of("echo", event.what() + " completed"));
        }
    }

    static class Background {
        private final Jobs jobs;

        Background(Jobs jobs) {
            this.jobs = jobs;
        }

        @Async
        public CompletableFuture<Void> enqueue(String text) {
            jobs.enqueue(JobRequest.of("echo", text));
            return CompletableFuture.completedFuture(null);
        }
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void listenersToTheCommitAndOtherThreadsEnqueueOnTheirOwn(
            Manager manager, boolean autoCommit, CapturedOutput output) throws Exception {
        try (PooledMuster it = new PooledMuster(autoCommit);
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Application.class, Background.class, Listeners.class, Shop.class);
            context.registerBean(PlatformTransactionManager.class, () -> manager.on(it.pool));
            context.registerBean(Jobs.class, () -> it.muster.jobs());
            context.refresh();
            Shop shop = context.getBean(Shop.class);

            shop.place("order");
            assertThat(it.jobs()).containsExactly("order after", "order before", "order completed");

            assertThatThrownBy(() -> shop.placeInBackgroundAndFail("async").get(60, TimeUnit.SECONDS))
                    .hasMessage("as it should");
            assertThat(it.jobs()).contains("async").hasSize(4);
        }
        assertThat(output.getAll()).doesNotContain("threw exception");
    }
}
