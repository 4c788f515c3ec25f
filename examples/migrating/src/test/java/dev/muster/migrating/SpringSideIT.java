package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.Jobs;
import dev.muster.spring.SpringCurrentTransaction;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** The beans of the guides, with what the starter makes of them written out. */
@MusterTest
class SpringSideIT {

    @Configuration
    @EnableTransactionManagement
    @Import({SpringSide.Mails.class, SpringSide.Customers.class, Effects.class})
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource database) {
            return new JdbcTemplate(database);
        }

        @Bean(initMethod = "start")
        Muster muster(DataSource database, SpringSide.Mails mails) {
            return Muster.builder()
                    .config(MusterConfig.defaults())
                    .dataSource(database)
                    .currentTransaction(new SpringCurrentTransaction(database))
                    .register(mails)
                    .build();
        }

        @Bean
        Jobs jobs(Muster muster) {
            return muster.jobs();
        }
    }

    @Test
    void theJobGoesWithTheTransaction(TestDatabase database) {
        database.execute("CREATE TABLE customers (id bigint)");
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            Supplier<DataSource> pool = database::dataSource;
            context.registerBean(DataSource.class, pool, definition -> definition.setDestroyMethodName(""));
            context.register(Application.class);
            context.refresh();
            SpringSide.Customers customers = context.getBean(SpringSide.Customers.class);
            Effects effects = context.getBean(Effects.class);

            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                customers.signUp(new Welcome("bob@example.com", 43));
                status.setRollbackOnly();
            });
            customers.signUp(new Welcome("ada@example.com", 42));

            TwoSchedulers.patiently().until(() -> !effects.all().isEmpty());
            assertThat(effects.all()).containsExactly("spring sent ada@example.com");
            assertThat(database.column("SELECT id FROM customers")).containsExactly("42");
            assertThat(database.number(
                            "SELECT (SELECT count(*) FROM muster_jobs) + (SELECT count(*) FROM muster_job_history)"))
                    .as("jobs, waiting or ended")
                    .isEqualTo(1);
        }
    }
}
