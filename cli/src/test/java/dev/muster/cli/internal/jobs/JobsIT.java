package dev.muster.cli.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.examples.ExampleApp;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.RetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class JobsIT extends OnTestDatabase {
    private Cli.Result jobs(String... args) {
        List<String> all = new ArrayList<>(List.of("jobs"));
        all.addAll(List.of(args));
        all.addAll(List.of("--url", Cli.url(database)));
        return Cli.run(all.toArray(String[]::new));
    }

    private Muster startNode(JobHandler... handlers) {
        MusterBuilder builder = Muster.builder().config(MusterConfig.defaults()).database(database.url());
        new ExampleApp().register(builder, database.dataSource());
        List.of(handlers).forEach(builder::register);
        Muster node = builder.build();
        node.start();
        return node;
    }

    private static String id(Cli.Result result) {
        return result.done().json().get("id").asString();
    }

    @Test
    void aJobHasTheseProperties() {
        JsonNode job = jobs(
                        "enqueue",
                        "hello",
                        "--args",
                        "{\"name\":\"wörld\",\"price\":1.10}",
                        "--priority",
                        "HIGH",
                        "--delay",
                        "1h",
                        "--key",
                        "k",
                        "--queue",
                        "mail",
                        "--capability",
                        "gpu",
                        "-o",
                        "json")
                .done()
                .json();

        assertThat(job.propertyNames())
                .containsExactly(
                        "id",
                        "name",
                        "status",
                        "queue",
                        "capability",
                        "priority",
                        "attempt",
                        "max_attempts",
                        "crashes",
                        "node",
                        "args",
                        "result",
                        "error",
                        "key",
                        "batch",
                        "tags",
                        "progress",
                        "run_at",
                        "created_at",
                        "started_at",
                        "finished_at",
                        "created");
        assertThat(JobId.of(job.get("id").asString())).isNotNull();
        assertThat(job.get("status").asString()).isEqualTo("pending");
        assertThat(job.get("priority").asString()).isEqualTo("high");
        assertThat(job.get("queue").asString()).isEqualTo("mail");
        assertThat(job.get("capability").asString()).isEqualTo("gpu");
        assertThat(job.get("key").asString()).isEqualTo("k");
        assertThat(job.get("attempt").isInt()).isTrue();
        assertThat(job.get("args").get("name").asString()).isEqualTo("wörld");
        assertThat(job.get("tags").isArray()).isTrue();
        assertThat(job.get("node").isNull()).isTrue();
        assertThat(job.get("finished_at").isNull()).isTrue();
        Instant created = Instant.parse(job.get("created_at").asString());
        assertThat(Instant.parse(job.get("run_at").asString())).isAfter(created.plusSeconds(3_000));
    }

    @Test
    void whatAJobCarriesCannotSteerTheTerminal() {
        String name = "a\u009b31mb\u202ec";
        String id = id(jobs("enqueue", "hello", "--args", "{\"name\":\"" + name + "\"}", "-o", "json"));

        for (Cli.Result shown : List.of(
                jobs("show", id),
                jobs("list"),
                jobs("show", id, "-o", "json"),
                jobs("list", "-o", "json"),
                jobs("show", name))) {
            assertThat(shown.out() + shown.err())
                    .isNotEmpty()
                    .doesNotContain("\u009b")
                    .doesNotContain("\u202e");
        }
        JsonNode job = jobs("show", id, "-o", "json").json();
        assertThat(job.get("args").get("name").asString()).isEqualTo(name);
    }

    @Test
    void aMissingCapabilityIsNull() {
        assertThat(jobs("enqueue", "hello", "-o", "json")
                        .json()
                        .get("capability")
                        .isNull())
                .isTrue();
    }

    @Test
    void tagsAndProgressAreShown() {
        String id;
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .build()) {
            id = muster.jobs()
                    .enqueue(JobRequest.of("hello").tags("blue", "green"))
                    .toString();
        }
        JsonNode job = jobs("show", id, "-o", "json").done().json();
        assertThat(job.get("tags")).extracting(JsonNode::asString).containsExactly("blue", "green");
        assertThat(job.get("progress").isNull()).isTrue();
        assertThat(jobs("show", id).out()).contains("blue, green");
    }

    @Test
    void argsComeFromAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("args.json"), "{\"name\":\"file\"}\n");
        JsonNode job =
                jobs("enqueue", "hello", "--args", "@" + file, "-o", "json").json();
        assertThat(job.get("args").get("name").asString()).isEqualTo("file");
    }

    @Test
    void waitsForTheEnd() {
        try (Muster node = startNode()) {
            JsonNode job = jobs("enqueue", "hello", "--args", "{\"name\":\"you\"}", "--wait", "-o", "json")
                    .done()
                    .json();
            assertThat(job.get("status").asString()).isEqualTo("completed");
            assertThat(job.get("result").get("greeting").asString()).isEqualTo("Hello, you!");
            assertThat(job.get("node").asString()).isEqualTo(node.nodeId());

            JsonNode many = jobs(
                            "enqueue", "my_task", "--args", "{\"key\":\"k\"}", "--count", "20", "--wait", "-o", "json")
                    .done()
                    .json();
            assertThat(many)
                    .hasSize(20)
                    .allMatch(one -> one.get("status").asString().equals("completed"));

            Cli.Result failed = jobs("enqueue", "fail", "--wait", "-o", "json");
            assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
            assertThat(failed.json().get("status").asString()).isEqualTo("failed");
            assertThat(failed.json().get("error").asString()).contains("always fails");
        }
    }

    @Test
    void saysWhatItWaitsForAndThatTheJobStays(@TempDir Path folder) throws Exception {
        try (CliProcess waiting = CliProcess.start(
                folder, Map.of("MUSTER_DATABASE_URL", Cli.url(database)), "jobs", "enqueue", "my_task", "--wait")) {
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> waiting.err().contains("the job is pending: no live node is there"));
            assertThat(waiting.err()).containsPattern("muster: waiting for job [0-9a-f-]{36} to end");

            Cli.run("queues", "pause", "default", "--url", Cli.url(database));
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> waiting.err().contains("the job is pending: queue 'default' has been paused since"));
            assertThat(waiting.err()).containsOnlyOnce("no live node is there");
            assertThat(waiting.out()).isEmpty();

            new ProcessBuilder("kill", "-INT", String.valueOf(waiting.process().pid()))
                    .start()
                    .waitFor();
            Cli.Result ended = waiting.await();
            assertThat(ended.exit()).isEqualTo(130);
            assertThat(ended.err()).containsPattern("muster: no longer waiting; job [0-9a-f-]{36} stays and runs");
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'"))
                .isEqualTo(1);
    }

    @Test
    void givesUpWaiting() {
        Cli.Result result = jobs("enqueue", "hello", "--wait", "--timeout", "100ms", "-o", "json");
        assertThat(result.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(result.json().get("status").asString()).isEqualTo("pending");
        assertThat(result.err()).contains("gave up waiting");
    }

    @Test
    void aNameThatNoNodeKnowsIsRefused() {
        try (Muster node = startNode()) {
            jobs("enqueue", "helo").failed(ExitCode.USAGE, "'helo'; did you mean 'hello'?", "process_order");
            jobs("enqueue", "helo", "--force").done();
            JsonNode order = jobs("enqueue", "process_order", "--delay", "1h", "-o", "json")
                    .json();
            assertThat(order.get("priority").asString()).as("published default").isEqualTo("high");
            assertThat(order.get("max_attempts").asInt()).isEqualTo(5);
            assertThat(node.nodes()).hasSize(1);
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE name = 'helo'"))
                .isEqualTo(1);
    }

    @Test
    void enqueuesMany() {
        JsonNode list = jobs("enqueue", "hello", "--count", "3", "--key", "k", "-o", "json")
                .done()
                .json();
        assertThat(list.isArray()).isTrue();
        assertThat(list).extracting(job -> job.get("key").asString()).containsExactly("k-0", "k-1", "k-2");
        JsonNode again = jobs("enqueue", "hello", "--count", "3", "--key", "k", "-o", "json")
                .json();
        assertThat(again).as("keys stand for the jobs that exist").isEqualTo(list);
        assertThat(jobs("enqueue", "hello", "--count", "1500").done().out()).startsWith("enqueued 1500 × hello");
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(1_503);
    }

    @Test
    void aKeyStandsForOneJob() {
        String first = id(jobs("enqueue", "hello", "--key", "k", "--args", "{\"name\":\"a\"}", "-o", "json"));
        assertThat(id(jobs("enqueue", "hello", "--key", "k", "--args", "{\"name\":\"a\"}", "-o", "json")))
                .isEqualTo(first);
        jobs("enqueue", "hello", "--key", "k", "--args", "{\"name\":\"b\"}").failed(ExitCode.USAGE, "'k'", first);
    }

    @Test
    void listsTheNewestFirst() {
        assertThat(jobs("list").done().out().strip()).isEqualTo("no jobs");
        assertThat(jobs("list", "-o", "json").done().json().isEmpty()).isTrue();
        String first = id(jobs("enqueue", "one", "-o", "json"));
        String second = id(jobs("enqueue", "two", "--queue", "mail", "-o", "json"));
        jobs("cancel", first).done();

        assertThat(jobs("list", "-o", "json").json())
                .extracting(job -> job.get("id").asString())
                .containsExactly(second, first);
        assertListed(first, "--status", "cancelled,failed");
        assertListed(second, "--queue", "mail");
        assertListed(first, "--name", "one");
        assertListed(second, "--limit", "1");
        assertThat(jobs("list").out())
                .contains("ID", "STATUS", first, second, "cancelled")
                .satisfies(text -> assertThat(text.lines()).allMatch(line -> line.length() <= 100));
    }

    private void assertListed(String id, String... filter) {
        List<String> args = new ArrayList<>(List.of("list", "-o", "json"));
        args.addAll(List.of(filter));
        assertThat(jobs(args.toArray(String[]::new)).done().json())
                .extracting(job -> job.get("id").asString())
                .containsExactly(id);
    }

    @Test
    void showsEachAttempt() {
        String id;
        try (Muster node = startNode(JobHandler.named("fails")
                .retry(RetryPolicy.fixed(3, Duration.ofMillis(1)))
                .run((ctx, none) -> {
                    throw new IllegalStateException("no " + ctx.attempt());
                }))) {
            id = node.jobs().enqueue("fails", null).toString();
            node.jobs().await(JobId.of(id), Duration.ofMinutes(2));
        }

        JsonNode attempts = jobs("show", id, "-o", "json").done().json().get("attempts");
        assertThat(attempts.size()).isEqualTo(3);
        assertThat(attempts.get(0).propertyNames())
                .containsExactly("attempt", "node", "started_at", "ended_at", "outcome", "error");
        assertThat(attempts.get(0).get("outcome").asString()).isEqualTo("retried");
        assertThat(attempts.get(2).get("outcome").asString()).isEqualTo("failed");
        assertThat(jobs("show", id).done().out())
                .containsPattern("TRY +OUTCOME +NODE +ENDED +RAN +ERROR")
                .containsPattern("1 +retried .*no 1")
                .containsPattern("2 +retried .*no 2")
                .containsPattern("3 +failed .*no 3");
        assertThat(jobs("show", id(jobs("enqueue", "hello", "-o", "json")))
                        .done()
                        .out())
                .as("a job without attempts")
                .doesNotContain("OUTCOME");
    }

    @Test
    void showsOne() {
        String id = id(jobs("enqueue", "hello", "-o", "json"));
        assertThat(id(jobs("show", id, "-o", "json"))).isEqualTo(id);
        assertThat(jobs("show", id).done().out())
                .contains("hello", "pending, waiting because no live node is there", id);
        jobs("show", JobId.next().toString()).failed(ExitCode.FAILED, "there is no job");
    }

    @Test
    void cancelsAndRetries() {
        String id = id(jobs("enqueue", "hello", "-o", "json"));
        jobs("retry", id).failed(ExitCode.FAILED, "pending");
        assertThat(jobs("cancel", id, "-o", "json").done().json().get("status").asString())
                .isEqualTo("cancelled");
        jobs("cancel", id).failed(ExitCode.FAILED, "ended already: cancelled");
        assertThat(jobs("retry", id, "-o", "json").done().json().get("status").asString())
                .isEqualTo("pending");
        jobs("cancel", JobId.next().toString()).failed(ExitCode.FAILED, "there is no job");
        jobs("retry", JobId.next().toString()).failed(ExitCode.FAILED, "there is no job");
    }

    @Test
    void saysThatAJobWasLifted() {
        String id = id(jobs("enqueue", "hello", "--priority", "background", "-o", "json"));
        assertThat(jobs("show", id, "-o", "json").done().json().get("lifted_to").isNull())
                .isTrue();
        assertThat(jobs("show", id).done().out()).contains("priority    background\n");

        database.execute("UPDATE muster_jobs SET rank = 76");

        JsonNode shown = jobs("show", id, "-o", "json").done().json();
        assertThat(shown.get("priority").asString()).isEqualTo("background");
        assertThat(shown.get("lifted_to").asString()).isEqualTo("high");
        assertThat(jobs("show", id).done().out())
                .contains("priority    background, lifted to high because it waited for long\n");
    }

    @Test
    void enqueuesIntoGroups() {
        jobs("enqueue", "hello", "--fifo", "order-17").done();
        jobs("enqueue", "hello", "--fair-key", "acme").done();
        jobs("enqueue", "hello", "--concurrency-key", "ada").done();

        String id = id(jobs("enqueue", "hello", "--fifo", "order-17", "-o", "json"));
        assertThat(jobs("show", id).done().out()).contains("fifo key 'order-17'");
        String other = id(jobs("enqueue", "hello", "--concurrency-key", "ada", "-o", "json"));
        assertThat(jobs("show", other).done().out()).contains("key 'ada' of hello");
    }

    @Test
    void reschedulesAndReprioritises() {
        String id = id(jobs("enqueue", "hello", "--expires", "2h", "--job-timeout", "90s", "-o", "json"));

        JsonNode later = jobs("reschedule", id, "--at", "2030-01-31T08:00:00Z", "-o", "json")
                .done()
                .json();
        assertThat(later.get("run_at").asString()).startsWith("2030-01-31T08:00:00");
        jobs("reschedule", id, "--in", "5m").done();
        assertThat(jobs("reschedule", id, "--delay", "5m").done().out()).contains("rescheduled " + id + ", due at 2");
        assertThat(jobs("reprioritise", id, "--priority", "high").done().out()).contains("is now high");
        JsonNode shown = jobs("show", id, "-o", "json").done().json();
        assertThat(shown.get("priority").asString()).isEqualTo("high");
        assertThat(shown.get("timeout_ms").asLong()).isEqualTo(90_000);
        assertThat(shown.get("expires_at").asString()).isNotEmpty();
        assertThat(jobs("show", id).done().out()).contains("timeout     1m30s", "expires     ", "depends on  -");

        String unset = id(jobs("enqueue", "hello", "-o", "json"));
        assertThat(jobs("show", unset).done().out()).containsPattern("timeout     .*worker.job_timeout of the node");

        jobs("cancel", id).done();
        jobs("reschedule", id, "--delay", "5m").failed(ExitCode.FAILED, "is cancelled", "can be rescheduled");
        jobs("reprioritise", JobId.next().toString(), "--priority", "low").failed(ExitCode.FAILED, "there is no job");
    }

    @Test
    void saysWhetherAKeyWasTaken() {
        Cli.Result first = jobs("enqueue", "hello", "--key", "k", "-o", "json").done();
        Cli.Result again = jobs("enqueue", "hello", "--key", "k", "-o", "json").done();
        assertThat(first.json().get("created").asBoolean()).isTrue();
        assertThat(first.err()).isEmpty();
        assertThat(again.json().get("created").asBoolean()).isFalse();
        assertThat(again.err()).contains("already there", "'k'");
    }

    @Test
    void aRunningJobIsToldToStop() {
        try (Muster node = startNode()) {
            String id = id(jobs("enqueue", "sleep", "--args", "{\"ms\":600000}", "-o", "json"));
            await().until(() ->
                    jobs("list", "--status", "running", "-o", "json").json().size() == 1);
            jobs("cancel", id).done();
            await().until(() -> jobs("show", id, "-o", "json")
                    .json()
                    .get("status")
                    .asString()
                    .equals("cancelled"));
            await().until(() -> node.health().ok());
        }
    }
}
