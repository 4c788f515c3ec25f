package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.testing.LongTest;
import dev.muster.testing.Periods;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A node keeps no connection of the application's pool, so that the pool's leak detection has nothing to report. */
@LongTest(
        twin = ShopIT.class,
        test = "noConnectionOfThePoolIsKept",
        why =
                "the pool's own leak detection, whose shortest threshold of 2 s is less than what a busy machine may need")
@ExtendWith(OutputCaptureExtension.class)
class LeakDetectionIT {
    /** The pool allows no shorter one. */
    private static final Duration THRESHOLD = Duration.ofSeconds(2);

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String LEAK = "Connection leak detection triggered";

    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {
        private final AtomicInteger ticks = new AtomicInteger();

        @Job("echo")
        String echo(String text) {
            return text;
        }

        @Job("long")
        void runLong() {
            Periods.work(THRESHOLD.plusSeconds(1));
        }

        @Workflow(name = "steps", version = "v1")
        String steps(WorkflowContext ctx, String text) {
            ctx.step("first", () -> {});
            ctx.sleep(THRESHOLD.plusSeconds(1));
            ctx.step("second", () -> {});
            return text;
        }

        @Cron("@every 1s")
        void tick(CronContext ctx) {
            ticks.incrementAndGet();
        }
    }

    private ConfigurableApplicationContext start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--spring.flyway.enabled=false");
        all.add("--spring.datasource.hikari.leak-detection-threshold=" + THRESHOLD.toMillis());
        return SpringApplication.run(Application.class, database.arguments(all.toArray(String[]::new)));
    }

    @Test
    void nothingIsReported(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start()) {
            Jobs jobs = context.getBean(Jobs.class);
            Workflows workflows = context.getBean(Workflows.class);
            var run = workflows.start("steps", "done");
            var longJob = jobs.enqueue(JobRequest.of("long"));
            for (int i = 0; i < 50; i++) {
                jobs.enqueue(JobRequest.of("echo", "text"));
            }

            assertThat(workflows.await(run, SOON).result()).contains("\"done\"");
            assertThat(jobs.await(longJob, SOON).status()).isEqualTo(JobStatus.COMPLETED);
            await().atMost(SOON).until(() -> context.getBean(Work.class).ticks.get() > 3);
            assertThat(context.getBean(Muster.class).health().ok()).isTrue();
        }
        assertThat(output.getAll())
                .doesNotContain(LEAK)
                .doesNotContain("Apparent connection leak")
                .doesNotContain("appears to have started a thread")
                .doesNotContain("has been closed")
                .doesNotContain("ThreadLocal")
                .doesNotContain(" ERROR ");
    }

    /** What the test above would see. */
    @Test
    void aConnectionOfThePoolThatANodeKeepsIsReported(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start("--muster.control-connection=pool")) {
            assertThat(context.isRunning()).isTrue();
            await().atMost(SOON).until(() -> output.getAll().contains(LEAK));
        }
    }
}
