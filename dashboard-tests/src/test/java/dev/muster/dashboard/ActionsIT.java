package dev.muster.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.cluster.NodeInfo;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.RawJson;
import dev.muster.schedule.CronSpec;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What operators do with the dashboard happens, is shown without a reload, and is in the audit. */
class ActionsIT extends InBrowser {

    static final class App {
        final CountDownLatch gate = new CountDownLatch(1);
        volatile boolean bankAnswers;

        @Job("wait_for_gate")
        String waitForGate(@Nullable String text) throws InterruptedException {
            gate.await();
            return "passed";
        }

        @Job(value = "charge", maxAttempts = 1)
        String charge(int order) {
            if (!bankAnswers) {
                throw new IllegalStateException("the bank does not answer");
            }
            return "charged " + order;
        }

        @Job("endless")
        void endless() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Workflow(name = "sign_up", version = "v1")
        String signUp(WorkflowContext wf, String name) {
            return name + " by " + wf.awaitEvent("confirmed", String.class);
        }
    }

    private final App app = new App();
    private Tab tab;

    private Node start(Cluster cluster, String route) {
        Node node = gateway(cluster, Map.of(), app);
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("operator", Scope.ADMIN))
                .key();
        tab = open(node, Look.DESK_LIGHT).go(route);
        tab.logIn(key);
        tab.settle();
        tab.page().evaluate("() => { window.notReloaded = true; }");
        return node;
    }

    private void assertShownWithoutReload() {
        assertThat(tab.page().evaluate("() => window.notReloaded")).isEqualTo(true);
        tab.assertNoProblemsBut("401");
    }

    private static void assertAudited(Cluster cluster, String action, String target) {
        await().untilAsserted(() -> assertThat(cluster.client().audit().list(AuditQuery.newest()))
                .anySatisfy(entry -> {
                    assertThat(entry.action()).isEqualTo(action);
                    assertThat(entry.target()).contains(target);
                    assertThat(entry.callerName()).isEqualTo("operator");
                    assertThat(entry.outcome()).contains("done");
                }));
    }

    @Test
    void aJobIsEnqueuedAndItsEndIsSeen(Cluster cluster) {
        start(cluster, "#/jobs");

        tab.find("enqueue").click();
        tab.page().locator("#field-name").fill("wait_for_gate");
        tab.page().locator("#field-args").fill("\"now\"");
        tab.confirm();
        assertThat(tab.status("running")).isVisible();
        app.gate.countDown();

        assertThat(tab.status("completed")).isVisible();
        assertThat(tab.find("result")).containsText("passed");
        assertShownWithoutReload();
    }

    @Test
    void deadLettersAreRetriedOneByOneAndTogether(Cluster cluster) {
        start(cluster, "#/jobs?status=failed");
        List<JobId> dead = cluster.jobs()
                .enqueueAll(IntStream.range(0, 5)
                        .mapToObj(order -> JobRequest.of("charge", order))
                        .toList());
        dead.forEach(cluster::awaitEnded);
        assertThat(tab.find("job")).hasCount(5);
        app.bankAnswers = true;

        tab.find("job", dead.get(0).toString()).locator("a.main").click();
        assertThat(tab.status("failed")).isVisible();
        assertThat(tab.find("error-text").first()).containsText("the bank does not answer");
        tab.find("retry").click();
        tab.confirm();
        assertThat(tab.status("completed")).isVisible();
        assertAudited(cluster, "jobs.retry", dead.get(0).toString());

        tab.go("#/jobs?status=failed").settle();
        assertThat(tab.find("job")).hasCount(4);
        tab.find("select-all").check();
        tab.find("retry-selected").click();
        assertThat(tab.find("dialog")).containsText("Retry 4 jobs?");
        tab.confirm();
        assertThat(tab.find("toast").first()).containsText("4 jobs");
        dead.forEach(
                id -> await().until(() -> cluster.jobs().find(id).orElseThrow().status() == JobStatus.COMPLETED));
        assertThat(tab.find("job")).hasCount(0);
        assertAudited(cluster, "jobs.retry_all", "");
        assertShownWithoutReload();
    }

    /** Counting stops at a bound; the question must not promise that cancelling does. */
    @Test
    void cancellingMoreJobsThanAreCountedSaysSo(Cluster cluster) {
        Node node = openGateway(cluster, new Seed.Shop());
        cluster.client()
                .jobs()
                .enqueueAll(IntStream.range(0, 10_500)
                        .mapToObj(i -> JobRequest.of("later").delay(Duration.ofHours(1)))
                        .toList());
        Tab tab = open(node, Look.DESK_LIGHT).go("#/jobs?status=pending").settle();

        tab.find("select-all").check();
        tab.find("cancel-all").click();

        assertThat(tab.find("dialog")).containsText("Cancel at least 10,000 jobs?");
        tab.assertNoProblems();
    }

    @Test
    void numbersThatBrowsersCannotHoldAreShownAndCopiedAsTheyAre(Cluster cluster) {
        Node node = openGateway(cluster, new Seed.Shop());
        String numbers = "[1e400,-1E+400,1e-400,12345678901234567890]";
        JobId job = cluster.jobs()
                .enqueue(JobRequest.of("later", new RawJson(numbers)).delay(Duration.ofHours(1)));
        Tab tab = open(node, Look.DESK_LIGHT).go("#/jobs/" + job).settle();

        List<String> shown = tab.page().locator(".json-number").allTextContents();

        String stored = cluster.jobs().find(job).orElseThrow().args();
        assertThat("[" + String.join(",", shown) + "]").isEqualTo(stored.replace(" ", ""));
        tab.assertNoProblems();
    }

    @Test
    void aRunningJobIsCancelled(Cluster cluster) {
        start(cluster, "#/jobs");
        JobId id = cluster.jobs().enqueue(JobRequest.of("endless"));
        tab.go("#/jobs/" + id);
        assertThat(tab.status("running")).isVisible();

        tab.find("cancel").click();
        tab.confirm();

        assertThat(tab.status("cancelled")).isVisible();
        assertAudited(cluster, "jobs.cancel", id.toString());
        assertShownWithoutReload();
    }

    @Test
    void aQueueIsPausedLimitedAndResumed(Cluster cluster) {
        start(cluster, "#/queues");
        cluster.jobs().enqueue(JobRequest.of("endless"));
        tab.find("queue", "default").locator("a.main").click();

        tab.find("pause").click();
        tab.confirm();
        assertThat(tab.status("paused")).isVisible();
        assertAudited(cluster, "queues.pause", "default");

        tab.find("limit").click();
        tab.page().locator("#field-max_running").fill("3");
        tab.confirm();
        assertThat(tab.page().locator("main .tiles")).containsText("3 at once");
        assertAudited(cluster, "queues.limit", "default");

        tab.find("resume").click();
        tab.confirm();
        assertThat(tab.status("paused")).isHidden();
        assertAudited(cluster, "queues.resume", "default");
        assertShownWithoutReload();
    }

    @Test
    void aCronIsTriggeredAndPaused(Cluster cluster) {
        app.bankAnswers = true;
        start(cluster, "#/crons");
        cluster.client().crons().create(CronSpec.of("yearly", "0 0 1 1 *", JobRequest.of("charge", 7)));
        Locator cron = tab.find("cron", "yearly");

        cron.locator("[data-test=trigger]").click();
        tab.confirm();
        assertThat(tab.find("toast").first()).containsText("yearly was triggered");
        await().until(() -> cluster.jobs()
                        .list(JobQuery.all().name("charge").status(JobStatus.COMPLETED))
                        .size()
                == 1);
        assertAudited(cluster, "crons.trigger", "yearly");

        cron.locator("[data-test=pause]").click();
        tab.confirm();
        assertThat(cron.locator("[data-status=paused]")).isVisible();
        assertAudited(cluster, "crons.pause", "yearly");
        assertShownWithoutReload();
    }

    @Test
    void aSecondNodeIsDrained(Cluster cluster) {
        start(cluster, "#/nodes");
        Node second = cluster.node(app);
        Locator card = tab.find("node", second.id());

        card.locator("[data-test=drain]").click();
        assertThat(tab.find("dialog")).containsText("Drain " + second.id() + "?");
        tab.confirm();

        await().until(() ->
                cluster.client().nodes().stream().map(NodeInfo::id).noneMatch(id -> id.equals(second.id())));
        assertThat(card).isHidden();
        assertAudited(cluster, "nodes.drain", second.id());
        assertShownWithoutReload();
    }

    @Test
    void aRunGetsItsEventAndEnds(Cluster cluster) {
        start(cluster, "#/workflows");
        JobId run = cluster.client().workflows().start("sign_up", "Ada");
        tab.find("run", run.toString()).locator("a.main").click();
        assertThat(tab.status("waiting")).isVisible();

        tab.find("signal").click();
        tab.page().locator("#field-event").fill("confirmed");
        tab.page().locator("#field-payload").fill("\"mail\"");
        tab.confirm();

        assertThat(tab.status("completed")).isVisible();
        assertThat(tab.find("result")).containsText("Ada by mail");
        assertShownWithoutReload();
    }

    @Test
    void aGraphIsCancelled(Cluster cluster) {
        start(cluster, "#/graphs");
        GraphId graph = cluster.client()
                .graphs()
                .submit(GraphRequest.of(
                                TaskRequest.of("first", "endless"),
                                TaskRequest.of("second", "endless").dependsOn("first"))
                        .name("nightly"));
        tab.find("graph", graph.toString()).locator("a.main").click();
        assertThat(tab.find("task")).hasCount(2);

        tab.find("cancel").click();
        Locator reason = tab.page().locator("#field-reason");
        if (reason.count() > 0) {
            reason.fill("not tonight");
        }
        tab.confirm();

        assertThat(tab.status("cancelled")).isVisible();
        await().until(() -> cluster.client().graphs().find(graph).orElseThrow().status() == GraphStatus.CANCELLED);
        assertAudited(cluster, "graphs.cancel", graph.toString());
        assertShownWithoutReload();
    }

    @Test
    void theAuditShowsWhoDidWhat(Cluster cluster) {
        start(cluster, "#/queues");
        cluster.client().queues().pause("mail");
        tab.find("queue", "mail").locator("[data-test=resume]").click();
        tab.confirm();

        tab.go("#/audit").settle();

        Locator entry = tab.find("entry").filter(new Locator.FilterOptions().setHasText("queues.resume"));
        assertThat(entry).containsText("operator");
        assertThat(entry).containsText("mail");
        assertThat(cluster.client().audit().list(AuditQuery.newest()))
                .extracting(AuditEntry::action)
                .contains("queues.resume");
        assertShownWithoutReload();
    }
}
