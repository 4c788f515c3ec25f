package dev.muster.spring.boot;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cluster.NodeStatus;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.schedule.Cron;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
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
@OnceForBoth
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

        @Cron("0 4 * * *")
        void nightly() {}

        @Workflow(name = "sign_up", version = "v1")
        String signUp(WorkflowContext wf, String name) {
            Optional<String> answer = wf.awaitEvent("confirmed", String.class, Duration.ofDays(3));
            return name + answer.map(how -> " confirmed " + how).orElse(" has not confirmed");
        }
    }

    private static final Duration SOON = Duration.ofSeconds(60);

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

    @Autowired
    private FakeClock autowired;

    @Test
    void aDelayedJobARunThatWaitsAndACronLiveThroughDays(
            Jobs jobs, Workflows workflows, FakeClock clock, Muster muster, TestDatabase database) {
        assertThat(clock).isSameAs(autowired);
        JobId delayed = jobs.enqueue(JobRequest.of("greet", "Eve").delay(Duration.ofDays(2)));
        JobId given = workflows.start("sign_up", "Ada");
        JobId waiting = workflows.start("sign_up", "Bob");
        await().until(() ->
                status(workflows, given) == RunStatus.WAITING && status(workflows, waiting) == RunStatus.WAITING);
        String before = database.column("SELECT muster_clock()::date").get(0);

        clock.advance(Duration.ofDays(2));

        assertThat(jobs.await(delayed, SOON)).isCompleted();
        assertThat(status(workflows, waiting)).isEqualTo(RunStatus.WAITING);
        workflows.signal(given, "confirmed", "by mail");
        assertThat(workflows.await(given, SOON).result()).contains("\"Ada confirmed by mail\"");

        autowired.advance(Duration.ofDays(1));

        assertThat(workflows.await(waiting, SOON).result()).contains("\"Bob has not confirmed\"");
        await().untilAsserted(() -> assertThat(jobs.list(JobQuery.all().name("nightly")))
                .isNotEmpty()
                .allSatisfy(tick -> {
                    assertThat(tick).isCompleted();
                    assertThat(tick.runAt().toString()).endsWith("T04:00:00Z");
                }));
        assertThat(muster.nodes()).as("the node has lived on").singleElement().satisfies(node -> {
            assertThat(node.id()).isEqualTo(muster.nodeId());
            assertThat(node.status()).isEqualTo(NodeStatus.ACTIVE);
        });
        assertThat(database.number("SELECT muster_clock()::date - '" + before + "'::date"))
                .isGreaterThanOrEqualTo(3);
    }

    private static RunStatus status(Workflows workflows, JobId run) {
        return workflows.find(run).orElseThrow().status();
    }

    @Test
    void springInjectsWhatIsAutowired(@Autowired FakeClock clock, @Autowired Jobs jobs) {
        assertThat(clock).isSameAs(autowired);
        assertThat(jobs).isNotNull();
    }

    /** Run by {@link #aClockThatCannotMoveSaysWhy}. */
    @SpringBootTest(
            classes = {SmallApplication.class, OnAnotherDatabase.Elsewhere.class},
            webEnvironment = WebEnvironment.NONE,
            properties = {"spring.flyway.enabled=false", "spring.data.jpa.repositories.enabled=false"})
    @MusterTest(settings = "data-source=jobs")
    @DirtiesContext
    static class OnAnotherDatabase {
        static class Elsewhere {
            @Bean(destroyMethod = "close")
            TestDatabase elsewhere() {
                return TestDatabase.fromEnv();
            }

            @Bean
            DataSource jobs(@Qualifier("elsewhere") TestDatabase elsewhere) {
                return elsewhere.dataSource();
            }
        }

        @Test
        void takesTheClock(FakeClock clock) {}

        @Test
        void takesACluster(Cluster cluster) {}
    }

    @Test
    void aClockThatCannotMoveSaysWhy() {
        assertThat(failuresOf(OnAnotherDatabase.class))
                .containsOnlyKeys("takesTheClock(FakeClock)", "takesACluster(Cluster)")
                .hasEntrySatisfying(
                        "takesTheClock(FakeClock)",
                        failure -> assertThat(failure)
                                .isInstanceOf(ParameterResolutionException.class)
                                .hasMessageContaining("time cannot be moved: Muster uses the database ")
                                .hasMessageContaining("Let the DataSource that Muster uses lead to TestDatabase.url()"))
                .hasEntrySatisfying(
                        "takesACluster(Cluster)",
                        failure -> assertThat(failure)
                                .isInstanceOf(ParameterResolutionException.class)
                                .hasMessageContaining("the application's own node runs the jobs"));
    }

    private static Map<String, Throwable> failuresOf(Class<?> testClass) {
        Map<String, Throwable> failures = new ConcurrentHashMap<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(testClass))
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                result.getThrowable()
                                        .ifPresent(failure -> failures.put(test.getDisplayName(), failure));
                            }
                        });
        return failures;
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
