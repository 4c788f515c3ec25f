package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.job.Job;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Args and results are written by the application's own Jackson: 2 in Spring Boot 3, and 3 or 2 in Spring Boot 4. */
class JacksonIT {
    private static final boolean BOOT_4 = SpringBootVersion.getVersion().startsWith("4.");

    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
    }

    @AfterEach
    void close() {
        database.close();
    }

    public record Order(long orderId) {}

    static class Work {
        @Job("double")
        Order twice(Order order) {
            return new Order(2 * order.orderId());
        }
    }

    private ApplicationContextRunner application() {
        Supplier<DriverManagerDataSource> dataSource = () -> new DriverManagerDataSource(database.url);
        return new ApplicationContextRunner()
                .withBean("dataSource", DriverManagerDataSource.class, dataSource)
                .withBean(Work.class);
    }

    private static void writes(ApplicationContextRunner application, String name) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            Jobs jobs = context.getBean(Jobs.class);
            JobInfo job = jobs.await(jobs.enqueue(JobRequest.of("double", new Order(4))), Duration.ofSeconds(60));
            assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.args().replace(" ", "")).isEqualTo("{\"" + name + "\":4}");
            assertThat(job.result().orElseThrow().replace(" ", "")).isEqualTo("{\"" + name + "\":8}");
        });
    }

    @Test
    void anApplicationWithJackson2AloneUsesIt() {
        ObjectMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                .build();
        writes(
                application()
                        .withConfiguration(AutoConfigurations.of(MusterAutoConfiguration.class))
                        .withBean(ObjectMapper.class, () -> mapper),
                "order-id");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    static class WithEverything {}

    /** Spring Boot 4 makes both mappers, each with settings of its own. */
    @Test
    void anApplicationWithBothUses3UnlessItPrefers2() {
        ApplicationContextRunner both = application()
                .withUserConfiguration(WithEverything.class)
                .withPropertyValues(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.data.jpa.repositories.enabled=false",
                        "spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE",
                        "spring.jackson2.property-naming-strategy=SNAKE_CASE");

        writes(both, "OrderId");
        if (BOOT_4) {
            writes(both.withPropertyValues("spring.http.converters.preferred-json-mapper=jackson2"), "order_id");
        }
    }
}
