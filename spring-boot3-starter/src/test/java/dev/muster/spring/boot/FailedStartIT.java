package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.spring.internal.MusterLifecycle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that fails after its node has joined leaves nothing behind, and its jobs end. */
@OnceForBoth
@ExtendWith(OutputCaptureExtension.class)
class FailedStartIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MusterAutoConfiguration.class)
    static class Application {
        @Bean
        HikariDataSource pool(@Value("${spring.datasource.url}") String url) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            return pool;
        }

        @Bean
        Work work(Jobs jobs) {
            return new Work(jobs);
        }

        @Bean
        @ConditionalOnProperty(name = "fails", havingValue = "lifecycle")
        LaterBean laterBean(Work work) {
            return new LaterBean(work);
        }

        @Bean
        @ConditionalOnProperty(name = "fails", havingValue = "runner")
        ApplicationRunner runner(Work work) {
            return arguments -> work.runOneAndFail();
        }

        @Bean
        @ConditionalOnProperty(name = "fails", havingValue = "listener")
        ApplicationListener<ApplicationReadyEvent> listener(Work work) {
            return event -> work.runOneAndFail();
        }
    }

    static class Work {
        /** Ends the job of the application that is being started. */
        private static volatile CountDownLatch released = new CountDownLatch(0);

        private final Jobs jobs;
        private final CountDownLatch entered = new CountDownLatch(1);

        Work(Jobs jobs) {
            this.jobs = jobs;
        }

        @Job("wait")
        void waitForRelease() throws InterruptedException {
            entered.countDown();
            released.await();
        }

        void runOneAndFail() {
            jobs.enqueue(JobRequest.of("wait"));
            try {
                entered.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("the application fails after its node has joined");
        }
    }

    /** Starts after the node. */
    static class LaterBean implements SmartLifecycle {
        private final Work work;

        LaterBean(Work work) {
            this.work = work;
        }

        @Override
        public void start() {
            work.runOneAndFail();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }

        @Override
        public int getPhase() {
            return MusterLifecycle.PHASE + 1;
        }
    }

    /** Runs the application; its threads, and those that they start, belong to the group. */
    private static void run(ThreadGroup group, String... arguments) throws Exception {
        FutureTask<Void> application = new FutureTask<>(() -> {
            new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run(arguments)
                    .close();
            return null;
        });
        new Thread(group, application, "application").start();
        application.get(2, TimeUnit.MINUTES);
    }

    private static List<String> threadsOf(ThreadGroup group) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getThreadGroup() == group)
                .map(Thread::getName)
                .filter(name -> name.startsWith("muster") || name.startsWith("Hikari"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lifecycle", "runner", "listener"})
    void theNodeLeaves(String failing, CapturedOutput output) throws Exception {
        ThreadGroup group = new ThreadGroup("application that fails");
        try (FreshDatabase database = FreshDatabase.migrated()) {
            Work.released = new CountDownLatch(1);
            AtomicBoolean hadThreads = new AtomicBoolean();
            CompletableFuture<Void> release = CompletableFuture.runAsync(() -> {
                await().atMost(SOON)
                        .until(() ->
                                database.number("SELECT count(*) FROM muster_nodes WHERE status = 'draining'") == 1);
                hadThreads.set(!threadsOf(group).isEmpty());
                Work.released.countDown();
            });

            assertThatThrownBy(() -> run(group, database.arguments("--fails=" + failing)))
                    .hasStackTraceContaining("the application fails after its node has joined");

            release.get(60, TimeUnit.SECONDS);
            assertThat(hadThreads)
                    .as("the threads of the node belong to the group")
                    .isTrue();
            assertThat(database.number("SELECT count(*) FROM muster_nodes")).isZero();
            assertThat(database.column("SELECT status FROM muster_job_history")).containsExactly("completed");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(threadsOf(group)).isEmpty());
        }
        assertThat(output.getAll()).doesNotContain("has been closed").doesNotContain("without waiting any longer");
    }
}
