package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Muster's tables beside those that the application's Flyway or Liquibase makes in the same schema, whoever comes first. */
@OnceForBoth
class MigrationToolsIT {
    private static final String FLYWAY = "--spring.flyway.enabled=true";
    private static final String NO_FLYWAY = "--spring.flyway.enabled=false";
    private static final String LIQUIBASE = "--spring.liquibase.enabled=true";

    private FreshDatabase database = FreshDatabase.empty();

    @AfterEach
    void close() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Work work(JdbcClient sql) {
            return new Work(sql);
        }
    }

    static class Work {
        private final JdbcClient sql;

        Work(JdbcClient sql) {
            this.sql = sql;
        }

        @Job("place")
        int place(int id) {
            return sql.sql("INSERT INTO orders VALUES (:id, 'placed')")
                    .param("id", id)
                    .update();
        }
    }

    private ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(WithoutJpa.PROPERTIES)
                .run(database.arguments(arguments));
    }

    /** Starts the application; a job writes into the application's table. */
    private void works(String... arguments) {
        long before = database.number("SELECT count(*) FROM pg_tables WHERE tablename = 'orders'") == 0
                ? 0
                : database.number("SELECT count(*) FROM orders");
        try (ConfigurableApplicationContext context = start(arguments)) {
            Jobs jobs = context.getBean(Jobs.class);
            var job = jobs.await(jobs.enqueue(JobRequest.of("place", (int) before)), Duration.ofSeconds(60));
            assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(database.number("SELECT count(*) FROM orders")).isEqualTo(before + 1);
    }

    private void worksAgainAndAgain(String... arguments) {
        works(arguments);
        works(arguments);
    }

    private void musterWasFirst() {
        database.close();
        database = FreshDatabase.migrated();
    }

    @Test
    void liquibaseAndMusterShareASchema() {
        worksAgainAndAgain(NO_FLYWAY, LIQUIBASE);
        assertThat(database.number("SELECT count(*) FROM databasechangelog")).isEqualTo(1);
    }

    @Test
    void liquibaseComesToAMusterThatWasThereFirst() {
        musterWasFirst();
        works(NO_FLYWAY, LIQUIBASE);
    }

    @Test
    void flywayComesToAMusterThatWasThereFirst() {
        musterWasFirst();
        assertThatThrownBy(() -> start(FLYWAY).close()).hasStackTraceContaining("baselineOnMigrate");

        worksAgainAndAgain(FLYWAY, "--spring.flyway.baseline-on-migrate=true", "--spring.flyway.baseline-version=0");
        assertThat(database.column("SELECT version FROM flyway_schema_history ORDER BY installed_rank"))
                .containsExactly("0", "1");
    }

    @Test
    void musterHasASchemaOfItsOwn() {
        works(FLYWAY, "--muster.database.schema=jobs");
        assertThat(database.column("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'muster%'"))
                .containsExactly("jobs");
    }
}
