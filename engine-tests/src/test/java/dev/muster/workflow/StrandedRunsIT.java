package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Runs whose code no live node has. */
class StrandedRunsIT extends EngineIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Map<String, String> PORT = Map.of("gateway.port", "0");

    /** The first version. */
    public static final class Old {
        @Workflow(name = "wait", version = "v1")
        String await(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    /** The same version with another input. */
    public static final class Changed {
        @Workflow(name = "wait", version = "v1")
        String await(WorkflowContext wf, int count) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    /** The next version. */
    public static final class New {
        @Workflow(name = "wait", version = "v2")
        String await(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    /** Code of the same version and signature with another step. */
    public static final class OtherSteps {
        @Workflow(name = "wait", version = "v1")
        String await(WorkflowContext wf) {
            wf.step("look", () -> {});
            return String.valueOf(wf.awaitEvent("go", String.class));
        }
    }

    /** Another service. */
    public static final class Unrelated {
        @Job("unrelated")
        void run() {}
    }

    private static HttpResponse<String> ready(Muster node) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + node.ports().get(0) + "/_api/ready");
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static void awaitReady(Muster node, int status) {
        await().atMost(SOON).until(() -> ready(node).statusCode() == status);
    }

    private static void awaitStatus(Muster node, JobId run, RunStatus status) {
        await(status.text())
                .atMost(SOON)
                .until(() -> node.workflows().find(run).orElseThrow().status() == status);
    }

    /** A run that waits, and whose node has gone. */
    private JobId left() {
        Muster node = node(PORT, new Old());
        JobId run = node.workflows().start("wait", null);
        awaitStatus(node, run, RunStatus.WAITING);
        awaitReady(node, 200);
        node.close();
        return run;
    }

    @Test
    void aNodeWithoutTheVersionIsNotReadyUntilAnOperatorRetiresTheRuns() throws Exception {
        JobId run = left();
        Muster next = node(PORT, new New());

        awaitReady(next, 503);
        assertThat(ready(next).body()).contains("\"workflows\":false").doesNotContain("wait", "v1");
        awaitStatus(next, run, RunStatus.BLOCKED_MISSING_VERSION);
        assertThat(next.workflows().find(run).orElseThrow().reason())
                .contains("no live node has version v1 of workflow 'wait'");

        database.execute("UPDATE muster_workflow_runs SET status = 'retired_unresumable', resolution_reason = 'gone'"
                + " WHERE workflow_name = 'wait' AND workflow_version = 'v1'");

        awaitReady(next, 200);
        assertThat(next.workflows().find(run).orElseThrow()).satisfies(info -> {
            assertThat(info.status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
            assertThat(info.finishedAt()).isPresent();
        });
        assertThat(next.jobs().find(run)).isEmpty();
    }

    @Test
    void anotherSignatureAndNoCodeAtAllAreToldApart() {
        JobId run = left();
        Muster unrelated = node(PORT, new Unrelated());
        awaitStatus(unrelated, run, RunStatus.BLOCKED_MISSING_HANDLER);
        // It is another service, and stays in its load balancer.
        awaitReady(unrelated, 200);

        Muster changed = node(PORT, new Changed());
        awaitStatus(unrelated, run, RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        awaitReady(changed, 503);

        Muster old = node(PORT, new Old());
        awaitStatus(unrelated, run, RunStatus.WAITING);
        awaitReady(unrelated, 200);
        old.workflows().signal(run, "go", "on");
        assertThat(old.workflows().await(run, SOON).result()).contains("\"on\"");
    }

    @Test
    void codeThatRoutingSendsToNoExecutorDoesNotCount() {
        JobId run = left();
        Muster unrouted = node(
                Map.of("gateway.port", "0", "routing.rules", "unrelated=default", "routing.default", "none"),
                new Old(),
                new Unrelated());

        awaitReady(unrouted, 503);
        awaitStatus(unrouted, run, RunStatus.BLOCKED_MISSING_HANDLER);
    }

    @Test
    void aVersionThatAnotherNodeServesStrandsNothing() throws Exception {
        Muster old = node(PORT, new Old());
        JobId run = old.workflows().start("wait", null);
        awaitStatus(old, run, RunStatus.WAITING);
        Muster next = node(PORT, new New());

        awaitReady(next, 200);
        assertThat(ready(next).body()).contains("\"workflows\":true");
        assertThat(next.workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.WAITING);
    }

    @Test
    void otherStepsAreToldInWordsAndTheRightCodeContinues() {
        JobId run = left();
        Muster other = node(Map.of("worker.poll_interval", "50ms"), new OtherSteps());
        other.workflows().signal(run, "go", "on");
        awaitStatus(other, run, RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        assertThat(other.workflows().find(run).orElseThrow().reason().orElseThrow())
                .contains("step 0 was a wait for 'go', the code asks for 'look'");
        other.close();

        Muster old = node(Map.of("worker.poll_interval", "50ms"), new Old());

        assertThat(old.workflows().await(run, SOON).result()).contains("\"on\"");
    }

    @Test
    void aRunWithoutADriverGetsANewOne() {
        Muster node = node(PORT, new Old());
        JobId run = node.workflows().start("wait", null);
        awaitStatus(node, run, RunStatus.WAITING);
        database.execute("DELETE FROM muster_jobs");

        await().atMost(SOON).until(() -> node.jobs().find(run).isPresent());
        node.workflows().signal(run, "go", "on");

        assertThat(node.workflows().await(run, SOON).result()).contains("\"on\"");
    }

    /** Which node has executed which run. */
    public static final class Signed {
        final Set<JobId> executed = ConcurrentHashMap.newKeySet();

        @Workflow(name = "signed", version = "v1")
        void run(WorkflowContext wf) {
            executed.add(wf.runId());
        }
    }

    /** The same version with another input. */
    public static final class SignedOtherwise {
        final Set<JobId> executed = ConcurrentHashMap.newKeySet();

        @Workflow(name = "signed", version = "v1")
        void run(WorkflowContext wf, int count) {
            executed.add(wf.runId());
        }
    }

    @Test
    void twoNodesWithDifferentCodeForOneVersionExecuteOnlyTheirOwnRuns() {
        Signed signed = new Signed();
        SignedOtherwise otherwise = new SignedOtherwise();
        Muster first = node(signed);
        Set<JobId> ofOne = startSome(first);
        Muster second = node(otherwise);
        Set<JobId> ofOther = startSome(second);
        timePasses(Duration.ofHours(1), first, second);

        ofOne.forEach(
                run -> assertThat(second.workflows().await(run, SOON).status()).isEqualTo(RunStatus.COMPLETED));
        ofOther.forEach(
                run -> assertThat(second.workflows().await(run, SOON).status()).isEqualTo(RunStatus.COMPLETED));

        assertThat(signed.executed).isEqualTo(ofOne);
        assertThat(otherwise.executed).isEqualTo(ofOther);
    }

    /** Delayed, so that both nodes are there when the runs are due. */
    private static Set<JobId> startSome(Muster node) {
        Set<JobId> runs = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            runs.add(node.workflows().start(RunRequest.of("signed", 1).delay(Duration.ofHours(1))));
        }
        return runs;
    }

    /** The right code is there all the time; the run was blocked because a node with other code claimed it. */
    @Test
    void aRunThatAnotherNodesCodeHasBlockedContinuesWhereTheRightCodeIs() {
        try (Cluster cluster = Cluster.on(database, Map.of("worker.lease", "60s", "worker.renew", "1s"))) {
            Workflows workflows = cluster.client().workflows();
            cluster.node(new Old());
            List<JobId> runs = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                runs.add(workflows.start("wait", null));
            }
            await().atMost(SOON).until(() -> all(workflows, runs, RunStatus.WAITING));
            Node wrong = cluster.node(new OtherSteps());
            runs.forEach(run -> workflows.signal(run, "go", "on"));
            await().atMost(SOON)
                    .until(() -> all(workflows, runs, RunStatus.COMPLETED, RunStatus.BLOCKED_SIGNATURE_MISMATCH));

            wrong.close();
            cluster.clock().advance(Duration.ofMinutes(1));

            await().atMost(SOON).until(() -> all(workflows, runs, RunStatus.COMPLETED));
        }
    }

    private static boolean all(Workflows workflows, List<JobId> runs, RunStatus... statuses) {
        return runs.stream()
                .allMatch(run -> List.of(statuses)
                        .contains(workflows.find(run).orElseThrow().status()));
    }
}
