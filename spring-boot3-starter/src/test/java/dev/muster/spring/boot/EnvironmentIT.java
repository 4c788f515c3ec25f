package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.job.JobHandler;
import dev.muster.job.JobRequest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application that is started from a shell in which somebody has set MUSTER_DATABASE_URL for the command line. */
@OnceForBoth
@ExtendWith(OutputCaptureExtension.class)
class EnvironmentIT {
    private final FreshDatabase database = FreshDatabase.migrated();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MusterAutoConfiguration.class)
    static class WithoutDatabase {
        @Bean
        JobHandler echo() {
            return JobHandler.named("echo").args(String.class).handle((ctx, text) -> text);
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf) {
            return wf.awaitEvent("paid", String.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MusterAutoConfiguration.class)
    static class WithDatabase extends WithoutDatabase {
        static String url = "";

        @Bean
        DataSource pool() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            return pool;
        }

        @Bean
        PlatformTransactionManager transactions(DataSource pool) {
            return new DataSourceTransactionManager(pool);
        }
    }

    /** An environment with these variables. */
    private static final class Shell extends StandardEnvironment {
        private final transient Map<String, Object> variables;

        Shell(Map<String, Object> variables) {
            this.variables = variables;
            getPropertySources()
                    .replace(
                            SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                            new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        }

        @Override
        public Map<String, Object> getSystemEnvironment() {
            // The constructor above asks before it has them.
            return variables == null ? Map.of() : variables;
        }
    }

    @BeforeEach
    void name() {
        WithDatabase.url = database.url;
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private static ConfigurableApplicationContext start(Class<?> application, String variable, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .environment(new Shell(Map.of("MUSTER_DATABASE_URL", variable)))
                .properties(properties)
                .run();
    }

    private long runsAfterARollback(ConfigurableApplicationContext application) {
        Muster muster = application.getBean(Muster.class);
        TransactionTemplate transactions =
                new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        for (int i = 0; i < 3; i++) {
            transactions.executeWithoutResult(status -> {
                muster.workflows().start("order", null);
                status.setRollbackOnly();
            });
        }
        return database.number("SELECT count(*) FROM muster_workflow_runs");
    }

    private long jobsAfterARollback(ConfigurableApplicationContext application) {
        Muster muster = application.getBean(Muster.class);
        TransactionTemplate transactions =
                new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        for (int i = 0; i < 3; i++) {
            transactions.executeWithoutResult(status -> {
                muster.jobs().enqueue(JobRequest.of("echo", "never"));
                status.setRollbackOnly();
            });
        }
        return database.number("SELECT (SELECT count(*) FROM muster_jobs) + (SELECT count(*) FROM muster_job_history)");
    }

    @Test
    void theVariableForTheCommandLineTakesNobodyOutOfItsTransactions() {
        try (ConfigurableApplicationContext application =
                start(WithDatabase.class, database.url.replace("127.0.0.1", "localhost") + "?loginTimeout=5")) {
            assertThat(jobsAfterARollback(application)).isZero();
            assertThat(runsAfterARollback(application)).isZero();
        }
    }

    @Test
    void aVariableThatNamesAnotherDatabaseIsRefused() {
        assertThatThrownBy(() -> start(WithDatabase.class, "jdbc:postgresql://elsewhere/jobs"))
                .rootCause()
                .hasMessageContaining("MUSTER_DATABASE_URL")
                .hasMessageContaining("another database")
                .hasMessageContaining("muster.database.url as a property");
    }

    @Test
    void anApplicationWithoutADataSourceUsesTheVariable() {
        try (ConfigurableApplicationContext application = start(WithoutDatabase.class, database.url)) {
            assertThat(application.getBean(Muster.class).nodes()).hasSize(1);
        }
    }

    @Test
    void whoeverAsksForADatabaseOfItsOwnGetsOneAndIsTold(CapturedOutput output) {
        try (ConfigurableApplicationContext application =
                start(WithDatabase.class, database.url, "muster.database.url=" + database.url)) {
            assertThat(jobsAfterARollback(application)).isEqualTo(3);
            assertThat(runsAfterARollback(application)).isEqualTo(3);
        }
        assertThat(output.getAll())
                .containsOnlyOnce("a transaction is open, but not on the DataSource that Muster uses");
    }
}
