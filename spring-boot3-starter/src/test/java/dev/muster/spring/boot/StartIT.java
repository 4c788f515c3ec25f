package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.job.DeadLetter;
import dev.muster.job.Job;
import dev.muster.job.JobListener;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.NestedExceptionUtils;

/** What an application is told that cannot start as it is, and what it may choose. */
@ExtendWith(OutputCaptureExtension.class)
class StartIT {
    private FreshDatabase database;
    private ApplicationContextRunner application;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
        application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(MusterAutoConfiguration.class))
                .withAllowBeanDefinitionOverriding(true)
                .withBean("pool", HikariDataSource.class, () -> pool(database.url))
                .withPropertyValues("muster.worker.poll-interval=50ms");
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(5);
        return pool;
    }

    private static void failsWith(ApplicationContextRunner runner, String... parts) {
        runner.run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .hasMessageContainingAll(parts);
        });
    }

    @Test
    void aDrainThatTakesLongerThanSpringWaitsIsRefused() {
        failsWith(
                application.withPropertyValues(
                        "muster.worker.drain-timeout=20s", "spring.lifecycle.timeout-per-shutdown-phase=10s"),
                "muster.worker.drain-timeout is 20s",
                "Spring waits only 10s",
                "spring.lifecycle.timeout-per-shutdown-phase");
    }

    @Test
    void aMisspeltPropertyIsRefused() {
        failsWith(
                application.withPropertyValues("muster.worker.concurency=3"),
                "muster.worker.concurency",
                "worker.concurrency");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MusterAutoConfiguration.class)
    static class Unreachable {
        @Bean
        HikariDataSource nowhere(@Value("${test.nowhere}") String url) {
            return pool(url);
        }
    }

    @Test
    void whyItDidNotStartIsSaidWithoutAStackTrace(CapturedOutput output) throws IOException {
        try (Socket taken = new Socket()) {
            // Nobody listens at this port, and nobody else can.
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            String nowhere = "jdbc:postgresql://127.0.0.1:" + taken.getLocalPort() + "/none";
            assertThatThrownBy(() -> SpringApplication.run(
                            Unreachable.class, "--spring.main.web-application-type=none", "--test.nowhere=" + nowhere))
                    .isInstanceOf(ApplicationContextException.class);
        }

        assertThat(output.getAll())
                .contains("Muster cannot start: the database cannot be reached: ", "Check spring.datasource.url")
                .doesNotContain("\tat ");
    }

    @Test
    void severalDataSourcesNeedOneProperty() {
        try (FreshDatabase empty = FreshDatabase.empty()) {
            ApplicationContextRunner two = application
                    .withBean("pool", HikariDataSource.class, () -> pool(empty.url))
                    .withBean("jobsPool", HikariDataSource.class, () -> pool(database.url));
            failsWith(two, "[pool, jobsPool]", "muster.data-source");
            failsWith(two.withPropertyValues("muster.data-source=jobs"), "muster.data-source = jobs is not the name");
            two.withPropertyValues("muster.data-source=jobsPool").run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(database.number("SELECT count(*) FROM muster_nodes")).isEqualTo(1);
            });
            application
                    .withBean("pool", HikariDataSource.class, () -> pool(empty.url))
                    .withPropertyValues("muster.database.url=" + database.url)
                    .run(context ->
                            assertThat(context.getBean(Muster.class).nodes()).hasSize(1));
            assertThat(empty.number("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'muster%'"))
                    .isZero();
        }
    }

    @Test
    void aChildContextUsesTheMusterOfItsParent() {
        AutoConfigurations both =
                AutoConfigurations.of(MusterAutoConfiguration.class, MusterMetricsAutoConfiguration.class);
        application
                .withConfiguration(both)
                .withBean(SimpleMeterRegistry.class)
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withConfiguration(both)
                        .run(child -> {
                            assertThat(child).hasNotFailed();
                            assertThat(child.getBean(Muster.class)).isSameAs(parent.getBean(Muster.class));
                            assertThat(child.getBean(Muster.class).nodes()).hasSize(1);
                        }));
    }

    @Test
    void anApplicationCanEnqueueWithoutANode() {
        application.run(context -> assertThat(context).hasNotFailed());
        application.withPropertyValues("muster.auto-startup=false").run(context -> {
            context.getBean(Muster.class).jobs().list(JobQuery.all());
            assertThat(context.getBean(Muster.class).nodes()).isEmpty();
        });
        application
                .withPropertyValues("muster.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Muster.class)
                        .doesNotHaveBean(Jobs.class));
    }

    private static Set<Thread> keptAliveBy(Set<Thread> others) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("muster-keep-alive") && !thread.isDaemon())
                .filter(thread -> !others.contains(thread))
                .collect(Collectors.toSet());
    }

    @Test
    void anApplicationWithoutAWebServerRunsUntilItIsClosed() {
        // Spring keeps the contexts of other tests.
        Set<Thread> ofOthers = keptAliveBy(Set.of());
        AtomicReference<Thread> own = new AtomicReference<>();
        application.run(
                context -> assertThat(keptAliveBy(ofOthers)).singleElement().satisfies(own::set));
        await().until(() -> !own.get().isAlive());
        application
                .withPropertyValues("muster.keep-alive=false")
                .run(context -> assertThat(keptAliveBy(ofOthers)).isEmpty());
    }

    /** Beans of every kind; Muster needs the listener, and the listener needs Muster's jobs. */
    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        @Lazy
        LazyJobs lazyJobs() {
            return new LazyJobs();
        }

        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        ScopedJobs scopedJobs() {
            return new ScopedJobs();
        }

        @Bean
        Told told(Jobs jobs) {
            return new Told(jobs);
        }
    }

    static class LazyJobs {
        @Job("lazy")
        private String run() {
            return "lazy";
        }
    }

    static class ScopedJobs {
        private final int object = System.identityHashCode(this);

        @Job(value = "scoped", maxAttempts = 1)
        int run() {
            return object;
        }
    }

    static final class Told implements JobListener {
        private final Jobs jobs;
        final CompletableFuture<Long> known = new CompletableFuture<>();

        Told(Jobs jobs) {
            this.jobs = jobs;
        }

        @Override
        public void deadLetter(DeadLetter event) {
            known.complete((long) jobs.list(JobQuery.all()).size());
        }
    }

    static class FailingJobs {
        @Job(value = "fail", maxAttempts = 1)
        void run() {
            throw new IllegalStateException("as it should");
        }
    }

    @Test
    void lazyAndScopedBeansRunJobsAndListenersAreBeans() {
        application
                .withUserConfiguration(Beans.class)
                .withBean(FailingJobs.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    assertThat(context.getBeanFactory().containsSingleton("lazyJobs"))
                            .isFalse();
                    assertThat(ended(jobs, "lazy")).contains("\"lazy\"");
                    assertThat(ended(jobs, "scoped"))
                            .as("a new object for each job")
                            .isNotEqualTo(ended(jobs, "scoped"));
                    jobs.enqueue(JobRequest.of("fail"));
                    assertThat(context.getBean(Told.class).known.get(60, TimeUnit.SECONDS))
                            .isPositive();
                });
    }

    private static String ended(Jobs jobs, String name) {
        var job = jobs.await(jobs.enqueue(JobRequest.of(name)), Duration.ofSeconds(60));
        assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
        return job.result().orElse("");
    }
}
