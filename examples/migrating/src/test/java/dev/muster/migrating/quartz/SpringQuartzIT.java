package dev.muster.migrating.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.Jobs;
import dev.muster.migrating.Welcome;
import dev.muster.spring.SpringCurrentTransaction;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.util.Properties;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** With Spring's job store, Quartz and Muster are in the transaction of a {@code @Transactional} method. */
@MusterTest
class SpringQuartzIT {

    @Configuration
    @EnableTransactionManagement
    @Import({Signup.class, Ownership.class})
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource database) {
            return new JdbcTemplate(database);
        }

        @Bean
        SchedulerFactoryBean quartz(DataSource database, PlatformTransactionManager transactions) {
            Properties properties = new Properties();
            properties.setProperty(
                    "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
            SchedulerFactoryBean factory = new SchedulerFactoryBean();
            factory.setDataSource(database);
            factory.setTransactionManager(transactions);
            factory.setQuartzProperties(properties);
            factory.setJobDetails(QuartzSide.WELCOME);
            factory.setAutoStartup(false);
            return factory;
        }

        /** The starter does this in an application of Spring Boot. */
        @Bean
        Muster muster(DataSource database) {
            return Muster.builder()
                    .config(MusterConfig.defaults())
                    .dataSource(database)
                    .currentTransaction(new SpringCurrentTransaction(database))
                    .build();
        }

        @Bean
        Jobs jobs(Muster muster) {
            return muster.jobs();
        }
    }

    @Test
    void bothJoinTheTransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE customers (id bigint)");
        QuartzNode.createTables(database);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            Supplier<DataSource> pool = database::dataSource;
            context.registerBean(DataSource.class, pool, definition -> definition.setDestroyMethodName(""));
            context.register(Application.class);
            context.refresh();
            Signup signup = context.getBean(Signup.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

            signUpAndRollBack(transaction, signup);
            signup.signUp(new Welcome("bob@example.com", 43));
            assertThat(rows(database)).isEqualTo("1 customers, 1 triggers, 0 jobs");

            context.getBean(Ownership.class).handOver("welcome_mail");
            signUpAndRollBack(transaction, signup);
            signup.signUp(new Welcome("ada@example.com", 42));
            assertThat(rows(database)).isEqualTo("2 customers, 1 triggers, 1 jobs");

            Scheduler scheduler = context.getBean(Scheduler.class);
            Jobs jobs = context.getBean(Jobs.class);
            transaction.executeWithoutResult(status -> {
                move(scheduler, jobs);
                status.setRollbackOnly();
            });
            assertThat(rows(database)).isEqualTo("2 customers, 1 triggers, 1 jobs");
            assertThat(database.column("SELECT trigger_state FROM qrtz_triggers"))
                    .as("also the pause is rolled back")
                    .containsExactly("WAITING");
            transaction.executeWithoutResult(status -> move(scheduler, jobs));
            assertThat(rows(database)).isEqualTo("2 customers, 0 triggers, 2 jobs");
        }
    }

    private static void move(Scheduler scheduler, Jobs jobs) {
        try {
            MoveTriggers.move(scheduler, QuartzSide.WELCOME.getKey(), jobs);
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void signUpAndRollBack(TransactionTemplate transaction, Signup signup) {
        transaction.executeWithoutResult(status -> {
            try {
                signup.signUp(new Welcome("ada@example.com", 42));
            } catch (SchedulerException e) {
                throw new IllegalStateException(e);
            }
            status.setRollbackOnly();
        });
    }

    private static String rows(TestDatabase database) {
        return "%d customers, %d triggers, %d jobs"
                .formatted(
                        database.number("SELECT count(*) FROM customers"),
                        database.number("SELECT count(*) FROM qrtz_triggers"),
                        database.number("SELECT count(*) FROM muster_jobs"));
    }
}
