package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.spring.shop.OrderJobs;
import dev.muster.spring.shop.OrderJobs.OrderArgs;
import dev.muster.spring.shop.OrderService;
import dev.muster.spring.shop.OrderService.Refused;
import dev.muster.spring.shop.ShopApplication;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Pools that lend connections in other ways than they do by default. */
@OnceForBoth
@ExtendWith(OutputCaptureExtension.class)
class PoolsIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String HIKARI = "--spring.datasource.hikari.";

    /** A role that owns what the application makes. Roles belong to the whole server. */
    private static final String ROLE = "app_owner_" + ProcessHandle.current().pid();

    static Stream<List<String>> pools() {
        return Stream.of(
                List.of(
                        HIKARI + "auto-commit=false",
                        HIKARI + "maximum-pool-size=2",
                        HIKARI + "transaction-isolation=TRANSACTION_SERIALIZABLE",
                        HIKARI + "schema=app",
                        "--spring.flyway.default-schema=app",
                        HIKARI + "connection-init-sql=SET ROLE " + ROLE + "; SET statement_timeout = '60s'",
                        "--spring.jpa.properties.hibernate.connection.provider_disables_autocommit=true"),
                List.of("--spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource"));
    }

    @BeforeAll
    static void createRole() {
        try (FreshDatabase database = FreshDatabase.empty()) {
            database.execute("CREATE ROLE " + ROLE);
        }
    }

    /** What it owned has gone with the databases of the tests. */
    @AfterAll
    static void dropRole() {
        try (FreshDatabase database = FreshDatabase.empty()) {
            database.execute("DROP ROLE " + ROLE);
        }
    }

    @ParameterizedTest
    @MethodSource("pools")
    void anApplicationRunsJobsAndEnqueuesInItsTransactions(List<String> properties, CapturedOutput output) {
        try (FreshDatabase database = FreshDatabase.empty()) {
            database.execute("CREATE SCHEMA app AUTHORIZATION " + ROLE);
            database.execute("GRANT ALL ON SCHEMA public TO " + ROLE);
            List<String> all = new ArrayList<>(properties);
            all.add("--muster.worker.poll-interval=30s");
            try (ConfigurableApplicationContext context =
                    SpringApplication.run(ShopApplication.class, database.arguments(all.toArray(String[]::new)))) {
                Jobs jobs = context.getBean(Jobs.class);
                OrderService orders = context.getBean(OrderService.class);
                JobInfo placed = jobs.await(orders.place(1), SOON);
                assertThat(placed.status()).as(placed.toString()).isEqualTo(JobStatus.COMPLETED);
                assertThatThrownBy(() -> orders.placeAndFail(2)).isInstanceOf(Refused.class);
                JobInfo billed = jobs.await(jobs.enqueue(OrderJobs.BILL, new OrderArgs(8)), SOON);
                assertThat(billed.status()).as(billed.toString()).isEqualTo(JobStatus.COMPLETED);
                Workflows workflows = context.getBean(Workflows.class);
                assertThat(workflows
                                .await(workflows.start("checkout", new OrderArgs(9)), SOON)
                                .result())
                        .contains("\"checked out 9\"");
                for (String manager : List.of("transactionManager", "jdbcTransactionManager")) {
                    List<JobId> after = new ArrayList<>();
                    new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class))
                            .executeWithoutResult(status -> TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {
                                        @Override
                                        public void afterCommit() {
                                            after.add(jobs.enqueue(JobRequest.of("ship", new OrderArgs(77))));
                                        }
                                    }));
                    JobInfo late = jobs.await(after.get(0), SOON);
                    assertThat(late.status()).as(late.toString()).isEqualTo(JobStatus.COMPLETED);
                }
            }
        }
        assertThat(output.getAll())
                .doesNotContain("not eligible")
                .doesNotContain(" ERROR ")
                .doesNotContain("SQLException")
                .doesNotContain("Connection is not available")
                .doesNotContain("autoCommit");
    }
}
