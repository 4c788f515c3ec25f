package dev.muster.cli.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.examples.ExampleApp;
import dev.muster.job.InvalidJob;
import dev.muster.job.RetryPolicy;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class WorkflowsIT extends OnTestDatabase {
    private static final Duration SOON = Duration.ofMinutes(2);

    /** Workflows that wait and fail as a test needs it. */
    public static final class Office {
        final AtomicBoolean broken = new AtomicBoolean(true);

        @Workflow(name = "approval", version = "v1")
        String approval(WorkflowContext wf, String document) {
            return document + " approved by " + wf.awaitEvent("approved", String.class);
        }

        @Workflow(name = "shaky", version = "v1")
        String shaky(WorkflowContext wf) {
            return wf.step("print", String.class)
                    .retry(RetryPolicy.fixed(1, Duration.ofMillis(1)))
                    .run(step -> print());
        }

        private String print() {
            if (broken.get()) {
                throw new IllegalStateException("out of paper");
            }
            return "printed";
        }
    }

    private final Office office = new Office();
    private Muster node;

    @BeforeEach
    void start() {
        // The commands compare with the clock of their own machine.
        database.execute("SELECT test_clock_stands_at(pg_catalog.clock_timestamp())");
        MusterBuilder builder = Muster.builder().config(MusterConfig.defaults()).database(database.url());
        new ExampleApp().register(builder, database.dataSource());
        node = builder.register(office).build();
        node.start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private Cli.Result workflows(String... args) {
        List<String> all = new ArrayList<>(List.of("workflows"));
        all.addAll(List.of(args));
        all.addAll(List.of("--url", Cli.url(database)));
        return Cli.run(all.toArray(String[]::new));
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("-o", "json"));
        return workflows(all.toArray(String[]::new)).done().json();
    }

    private static String text(JsonNode node, String property) {
        return node.get(property).asString();
    }

    private String startApproval(String... options) {
        List<String> all = new ArrayList<>(List.of("start", "approval", "--args", "\"the plan\""));
        all.addAll(List.of(options));
        return text(json(all.toArray(String[]::new)), "id");
    }

    private JsonNode shown(String id, String property, String words) {
        await().atMost(SOON).until(() -> text(json("show", id), property).contains(words));
        return json("show", id);
    }

    /** A version that looks drained is removed, and then these runs can never continue. */
    @Test
    void theCommandOfTheDocsFindsEveryRunThatNeedsAVersion() throws IOException {
        String page = Files.readString(Path.of("../docs/workflows.md"));
        Matcher command = Pattern.compile("muster workflows (list --name \\S+ --version v1 --status \\S+[a-z])")
                .matcher(page);
        assertThat(command.find()).isTrue();
        String[] words =
                command.group(1).replaceFirst("--name \\S+", "--name approval").split(" ");
        String waiting = startApproval();
        String blocked = startApproval();
        shown(waiting, "status", "waiting");
        shown(blocked, "status", "waiting");

        for (RunStatus status : RunStatus.known()) {
            if (status.isBlocked()) {
                database.execute("UPDATE muster_workflow_runs SET status = '" + status.text()
                        + "', resolution_reason = 'its steps have changed' WHERE id = '" + blocked + "'");

                assertThat(workflows(words).done().out()).contains(waiting).contains(blocked);
            }
        }
        assertThat(words[words.length - 1].split(","))
                .containsExactlyInAnyOrder(RunStatus.known().stream()
                        .filter(status -> !status.isTerminal())
                        .map(RunStatus::text)
                        .toArray(String[]::new));
    }

    @Test
    void inputThatDoesNotFitIsRefusedWhereTheCodeIsAndElseTheRunSaysSo() {
        assertThatThrownBy(() -> node.workflows().start("checkout", Map.of("oder", 17)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("the input of workflow 'checkout' does not fit")
                .hasMessageContaining("order is missing");

        Cli.Result failed = workflows("start", "checkout", "--args", "\"17\"", "--wait", "-o", "json");
        assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(text(failed.json(), "error")).contains("the input does not fit");
    }

    @Test
    void startsARunAndShowsItsSteps() {
        Cli.Result started = workflows("start", "checkout", "--args", "{\"order\": 7}", "--wait", "-o", "json");
        JsonNode run = started.done().json();
        assertThat(run.propertyNames())
                .containsExactly(
                        "id",
                        "workflow_name",
                        "workflow_version",
                        "status",
                        "resolution_reason",
                        "input",
                        "result",
                        "error",
                        "key",
                        "parent",
                        "continued_as",
                        "awaiting",
                        "wake_at",
                        "cancel_requested",
                        "node",
                        "created_at",
                        "changed_at",
                        "finished_at",
                        "created");
        assertThat(text(run, "workflow_name")).isEqualTo("checkout");
        assertThat(text(run, "workflow_version")).isEqualTo("v1");
        assertThat(text(run, "status")).isEqualTo("completed");
        assertThat(run.get("input").get("order").asInt()).isEqualTo(7);
        assertThat(run.get("result").get("order").asInt()).isEqualTo(7);

        JsonNode shown = json("show", text(run, "id"));
        assertThat(shown.get("waiting_reason").isNull()).isTrue();
        JsonNode steps = shown.get("steps");
        assertThat(steps.size()).isEqualTo(3);
        assertThat(text(steps.get(0), "name")).isEqualTo("reserve");
        assertThat(text(steps.get(0), "path")).isEqualTo("0");
        assertThat(text(steps.get(0), "kind")).isEqualTo("step");
        assertThat(text(steps.get(0), "status")).isEqualTo("completed");
        assertThat(steps.get(0).get("attempts").asInt()).isEqualTo(1);
        assertThat(text(steps.get(2), "name")).isEqualTo("ship");
        assertThat(workflows("show", text(run, "id")).done().out())
                .contains("checkout v1", "completed", "STEP", "reserve", "charge", "ship");
        assertThat(json("list", "--name", "checkout", "--version", "v1", "--status", "completed")
                        .size())
                .isEqualTo(1);
        assertThat(json("list", "--status", "failed,waiting").isEmpty()).isTrue();
        assertThat(workflows("list").done().out()).contains("WORKFLOW", "checkout");
    }

    @Test
    void aRunThatDoesNotCompleteExitsWithOne() {
        Cli.Result failed = workflows("start", "checkout", "--args", "{\"order\": 0}", "--wait", "-o", "json");
        assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(text(failed.json(), "status")).isEqualTo("compensated");
        assertThat(json("show", text(failed.json(), "id")).get("steps").toString())
                .contains("refund", "release", "compensation");
    }

    @Test
    void anEventEndsAWait() {
        String id = startApproval("--key", "plan");
        JsonNode waiting = shown(id, "waiting_reason", "event 'approved'");
        assertThat(text(waiting, "status")).isEqualTo("waiting");
        assertThat(waiting.get("awaiting").get(0).asString()).isEqualTo("approved");
        assertThat(workflows("show", id).done().out()).contains("waits for event 'approved'");

        Cli.Result again = workflows("start", "approval", "--args", "\"the plan\"", "--key", "plan", "-o", "json");
        assertThat(text(again.done().json(), "id")).isEqualTo(id);
        assertThat(again.json().get("created").asBoolean()).isFalse();
        assertThat(again.err()).contains("already there", "'plan'");
        workflows("start", "approval", "--args", "\"another plan\"", "--key", "plan")
                .failed(ExitCode.USAGE, "'plan'", id);

        json("signal", id, "remark", "--id", "mail-1");
        assertThat(workflows("signal", id, "remark", "--id", "mail-1").done().err())
                .contains("already there", "'mail-1'");
        json("signal", id, "approved", "--payload", "\"Ann\"");
        JsonNode ended = shown(id, "status", "completed");
        assertThat(text(ended, "result")).isEqualTo("the plan approved by Ann");
        workflows("signal", id, "approved").failed(ExitCode.FAILED, id, "has ended as completed");
    }

    @Test
    void waitingStopsInTimeAndSaysWhy() {
        shown(startApproval("--key", "plan"), "waiting_reason", "event 'approved'");
        Cli.Result result = workflows(
                "start", "approval", "--args", "\"the plan\"", "--key", "plan", "--wait", "--timeout", "100ms");
        assertThat(result.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(result.err()).contains("waiting for run", "waits for event 'approved'", "gave up waiting");
    }

    @Test
    void aRunIsCancelled() {
        String id = startApproval();
        shown(id, "status", "waiting");
        json("cancel", id, "--reason", "no longer needed");
        JsonNode ended = shown(id, "status", "cancelled_by_operator");
        assertThat(text(ended, "resolution_reason")).isEqualTo("no longer needed");
        workflows("cancel", id).failed(ExitCode.FAILED, id, "has ended as cancelled_by_operator");
    }

    @Test
    void aFailedRunContinuesWhenItIsRetried() {
        Cli.Result failed = workflows("start", "shaky", "--wait", "-o", "json");
        assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
        String id = text(failed.json(), "id");
        assertThat(text(failed.json(), "error")).contains("out of paper");
        String shown = workflows("show", id).done().out();
        assertThat(shown).contains("print", "failed", "out of paper");
        assertThat(shown.substring(shown.indexOf("STEP ")))
                .as("the stack trace comes after the steps")
                .contains("\n    at ", "\nCaused by: ");
        assertThat(shown.substring(0, shown.indexOf("STEP "))).doesNotContain("    at ");

        office.broken.set(false);
        json("retry", id);

        assertThat(text(shown(id, "status", "completed"), "result")).isEqualTo("printed");
        workflows("retry", id).failed(ExitCode.FAILED, "is completed", "only a failed one");
    }

    @Test
    void aPausedWorkflowSaysSoUntilItIsResumed() {
        assertThat(json("pause", "approval").get("paused").asBoolean()).isTrue();
        String id = startApproval();
        shown(id, "waiting_reason", "muster workflows resume approval");

        assertThat(json("resume", "approval").get("paused").asBoolean()).isFalse();

        shown(id, "waiting_reason", "event 'approved'");
    }

    @Test
    void runsOfAVersionAreRetired() {
        String first = startApproval();
        startApproval("--delay", "1h");
        shown(first, "status", "waiting");
        workflows("retire", "approval", "v1").failed(ExitCode.USAGE, "2 runs of approval v1", "--yes");

        JsonNode retired = json("retire", "approval", "v1", "--yes", "--reason", "its code is gone");

        assertThat(retired.get("retired").asInt()).isEqualTo(2);
        JsonNode runs = json("list", "--status", "retired_unresumable");
        assertThat(runs.size()).isEqualTo(2);
        assertThat(text(runs.get(0), "resolution_reason")).isEqualTo("its code is gone");
        assertThat(json("retire", "approval", "v1").get("retired").asInt()).isZero();
    }

    @Test
    void saysWhatARunWaitsForWithoutANode() {
        String later = startApproval("--delay", "1h");
        shown(later, "waiting_reason", "starts at ");
        node.close();
        shown(later, "waiting_reason", "no live node has workflow approval v1");
    }

    @Test
    void unknownNamesAndRunsAreRefused() {
        String id = "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11";
        workflows("show", id).failed(ExitCode.FAILED, "there is no run " + id);
        workflows("signal", id, "approved").failed(ExitCode.FAILED, "there is no run " + id);
        workflows("cancel", id).failed(ExitCode.FAILED, "there is no run " + id);
        workflows("retry", id).failed(ExitCode.FAILED, "there is no run " + id);
        workflows("start", "aproval").failed(ExitCode.USAGE, "'aproval'", "did you mean 'approval'?");
        workflows("pause", "aproval").failed(ExitCode.USAGE, "did you mean 'approval'?");
        workflows("retire", "aproval", "v1").failed(ExitCode.USAGE, "did you mean 'approval'?");
        workflows("start", "approval", "--version", "v2").failed(ExitCode.FAILED, "v2", "approval v1 (active)");
        assertThat(workflows("list", "--name", "aproval").done().err()).contains("did you mean 'approval'?");
    }
}
