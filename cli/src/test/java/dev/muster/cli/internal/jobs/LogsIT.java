package dev.muster.cli.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class LogsIT extends OnTestDatabase {
    private final CountDownLatch gate = new CountDownLatch(1);
    private Muster node;

    @BeforeEach
    void start() {
        node = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .register(new Handlers())
                .build();
        node.start();
    }

    @AfterEach
    void stop() {
        gate.countDown();
        node.close();
    }

    private final class Handlers {
        @Job(value = "talk", maxAttempts = 1)
        void talk(JobContext ctx) {
            ctx.log().info("hello");
            ctx.log().warn("first\nsecond\u001b[31m");
            throw new IllegalStateException("enough said");
        }

        @Job("quiet")
        void quiet() {}

        @Job("gated")
        void gated(JobContext ctx) throws InterruptedException {
            ctx.log().info("before the gate");
            ctx.progress(40, "at the gate");
            gate.await();
            ctx.log().error("after the gate");
        }
    }

    private String enqueue(String name) {
        return node.jobs().enqueue(name, null).toString();
    }

    private Cli.Result logs(String id, String... options) {
        String[] all = new String[options.length + 3];
        all[0] = "jobs";
        all[1] = "logs";
        all[2] = id;
        System.arraycopy(options, 0, all, 3, options.length);
        return Cli.on(database, all);
    }

    private void awaitLines(int count) {
        await().until(() -> database.number("SELECT count(*) FROM muster_job_logs") == count);
    }

    @Test
    void linesHaveATimeAnAttemptAndALevel() {
        String id = enqueue("talk");
        awaitLines(2);

        JsonNode lines = logs(id, "-o", "json").done().json();
        assertThat(lines).hasSize(2);
        JsonNode warning = lines.get(1);
        assertThat(warning.propertyNames()).containsExactly("line", "at", "attempt", "level", "message");
        assertThat(warning.get("line").asLong())
                .isGreaterThan(lines.get(0).get("line").asLong());
        Instant now = Instant.ofEpochSecond(database.number("SELECT extract(epoch FROM clock_timestamp())::bigint"));
        assertThat(Instant.parse(warning.get("at").asString())).isBetween(now.minusSeconds(600), now.plusSeconds(60));
        assertThat(warning.get("attempt").asInt()).isEqualTo(1);
        assertThat(warning.get("level").asString()).isEqualTo("warn");
        assertThat(warning.get("message").asString()).startsWith("first\nsecond");

        String text = logs(id).done().out();
        assertThat(text).contains("attempt 1  info   hello\n").doesNotContain("\u001b");
        assertThat(text.lines().toList().get(2)).matches(" {40,}second \\[31m");
    }

    @Test
    void saysWhenThereIsNothing() {
        String id = enqueue("quiet");
        Cli.Result result = logs(id, "--follow").done();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("logged nothing");
        assertThat(logs(id, "-o", "json").done().json().isEmpty()).isTrue();
        logs(JobId.next().toString()).failed(ExitCode.FAILED, "there is no job");
    }

    @Test
    void followsToTheLastLine() throws Exception {
        String id = enqueue("gated");
        awaitLines(1);
        CompletableFuture<Cli.Result> text = CompletableFuture.supplyAsync(() -> logs(id, "--follow"));
        CompletableFuture<Cli.Result> json = CompletableFuture.supplyAsync(() -> logs(id, "-f", "-o", "json"));
        gate.countDown();

        assertThat(text.get(2, TimeUnit.MINUTES).done().out().lines())
                .hasSize(2)
                .last()
                .asString()
                .endsWith("error  after the gate");
        assertThat(json.get(2, TimeUnit.MINUTES).done().json()).hasSize(2);
    }

    @Test
    void printsLinesAsTheyComeAndEndsQuietly(@TempDir Path folder) throws Exception {
        String id = enqueue("gated");
        try (CliProcess follower = CliProcess.start(
                folder, Map.of("MUSTER_DATABASE_URL", Cli.url(database)), "jobs", "logs", id, "--follow")) {
            await().atMost(Duration.ofMinutes(2)).until(() -> follower.out().contains("before the gate"));
            follower.process().destroy();
            assertThat(follower.await().err()).isEmpty();
        }
    }

    @Test
    void showsHowFarAJobIs() {
        String id = enqueue("gated");
        await().until(() -> Cli.on(database, "jobs", "show", id).done().out().contains("40% at the gate"));
    }
}
