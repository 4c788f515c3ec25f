package dev.muster.spring.boot;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContextManager;

/** The test kit with a Spring context. */
@SpringBootTest(
        classes = SpringContextIT.SmallApplication.class,
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "spring.flyway.enabled=false",
            "spring.data.jpa.repositories.enabled=false",
            "muster.gateway.path=/unused"
        })
@MusterTest(settings = "node.name=tested")
class SpringContextIT {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    @Import(Greetings.class)
    static class SmallApplication {}

    static class Greetings {
        @Job("greet")
        String greet(String whom) {
            return "Hello, " + whom;
        }
    }

    @Autowired
    private DataSource dataSource;

    @Test
    void theApplicationsNodeRunsJobsOnADatabaseOfItsOwn(Jobs jobs, Muster muster, TestDatabase database)
            throws Exception {
        var id = jobs.enqueue(JobRequest.of("greet", "Ada"));

        assertThat(jobs.await(id, Duration.ofSeconds(60))).isCompleted();
        assertThat(muster.nodes())
                .singleElement()
                .satisfies(node -> assertThat(node.name()).contains("tested"));
        try (var connection = dataSource.getConnection()) {
            assertThat(connection.getMetaData().getURL()).isEqualTo(database.url());
        }
    }

    @Nested
    class Inside {
        @Test
        void sharesTheContext(Jobs jobs, TestDatabase database) {
            jobs.enqueue(JobRequest.of("greet", "Bob"));
            assertThat(database.number("SELECT count(*) FROM muster_nodes")).isEqualTo(1);
        }
    }

    @SpringBootTest(
            classes = SmallApplication.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {
                "spring.flyway.enabled=false",
                "spring.data.jpa.repositories.enabled=false",
                "muster.gateway.path=/unused",
                "muster.database.url=jdbc:postgresql://127.0.0.1:1/in_use"
            })
    @MusterTest
    static class WithOwnDatabase {}

    @SpringBootTest(
            classes = SmallApplication.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {
                "spring.flyway.enabled=false",
                "spring.data.jpa.repositories.enabled=false",
                "muster.data-source=jobs"
            })
    @MusterTest
    static class WithAnotherDataSource {}

    @Test
    void noTestJoinsTheClusterThatThePropertiesName() {
        TestContextManager test = new TestContextManager(WithOwnDatabase.class);
        ApplicationContext context = test.getTestContext().getApplicationContext();
        try {
            assertThat(context.getBean(TestDatabase.class).number("SELECT count(*) FROM muster_nodes"))
                    .isEqualTo(1);
        } finally {
            test.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        }

        assertThatThrownBy(() -> new TestContextManager(WithAnotherDataSource.class)
                        .getTestContext()
                        .getApplicationContext())
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("muster.data-source = jobs is another DataSource")
                .hasStackTraceContaining("@MusterTest(settings = \"data-source=jobs\")");
    }
}
