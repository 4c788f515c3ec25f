package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.schedule.CronSpec;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What the dashboard's first page reads. */
@Order(1)
@MusterTest(settings = "worker.lease=60s")
class OverviewIT {

    static final class App {
        @Job("greet")
        String greet(String name) {
            return "hello " + name;
        }

        @Job(value = "fail", maxAttempts = 1)
        void fail() {
            throw new IllegalStateException("as always");
        }

        @Daemon(name = "feed", maxRestarts = 0)
        void feed(DaemonContext ctx) {
            throw new IllegalStateException("as always");
        }
    }

    static final class Orders {
        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf, String article) {
            return wf.awaitEvent("paid", String.class);
        }
    }

    private static void execute(Cluster cluster, String sql) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql)).as(sql).isPositive();
        }
    }

    /** The findings by kind. */
    private static Map<String, Map<?, ?>> attention(GatewayNode gateway) {
        Response overview = gateway.get("/_api/overview");
        assertThat(overview.status()).as(overview.body()).isEqualTo(200);
        Map<String, Map<?, ?>> findings = new HashMap<>();
        for (Object finding : (List<?>) overview.at("attention")) {
            findings.put(String.valueOf(((Map<?, ?>) finding).get("kind")), (Map<?, ?>) finding);
        }
        return findings;
    }

    private static String message(GatewayNode gateway, String kind) {
        return String.valueOf(attention(gateway).getOrDefault(kind, Map.of()).get("message"));
    }

    @Test
    void saysWhatNeedsAttention(Cluster cluster) throws SQLException {
        GatewayNode gateway = GatewayNode.start(cluster, new App());
        cluster.awaitEnded(cluster.jobs().enqueue(JobRequest.of("fail")));
        gateway.post("/_api/queues/mail/pause", null);
        cluster.jobs().enqueue(JobRequest.of("nobody").queue("other"));
        execute(cluster, "UPDATE muster_jobs SET ready_at = now() - interval '2 minutes' WHERE name = 'nobody'");
        cluster.client().crons().create(CronSpec.of("yearly", "0 0 1 1 *", JobRequest.of("greet", "x")));
        // The leader computes the next tick, and forgets the problem of the last one.
        await().until(() ->
                cluster.client().crons().find("yearly").orElseThrow().nextTick().isPresent());
        execute(cluster, "UPDATE muster_crons SET problem = 'args do not fit'");

        await().untilAsserted(() -> assertThat(attention(gateway))
                .containsKeys(
                        "dead_letters",
                        "paused_queue",
                        "job_without_handler",
                        "backlog",
                        "cron_problem",
                        "failed_daemon")
                // A busy machine may well have a slow database, or a late heartbeat.
                .doesNotContainKeys("no_worker", "no_leader", "stranded_runs"));

        assertThat(message(gateway, "dead_letters"))
                .startsWith("1 job failed for good within the last hour, the last one ");
        assertThat(message(gateway, "paused_queue")).startsWith("Queue mail has been paused for ");
        Map<?, ?> paused = attention(gateway).get("paused_queue");
        assertThat(paused.get("severity")).isEqualTo("warning");
        assertThat(paused.get("link")).isEqualTo("#/queues/mail");
        assertThat(message(gateway, "job_without_handler")).contains("'nobody' in queue other", "2 minutes");
        assertThat(message(gateway, "backlog")).contains("queue other");
        assertThat(message(gateway, "cron_problem")).contains("yearly", "args do not fit");
        assertThat(message(gateway, "failed_daemon")).contains("Daemon feed has failed");
        List<?> sorted = (List<?>) gateway.get("/_api/overview").at("attention");
        assertThat(((Map<?, ?>) sorted.get(0)).get("severity")).isEqualTo("critical");
    }

    @Test
    void aClusterWithoutWorkersSaysSo(Cluster cluster) throws SQLException {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("node.roles", "gateway"));
        execute(cluster, "UPDATE muster_leaders SET since = now() - interval '2 minutes'");

        assertThat(attention(gateway)).containsKeys("no_worker", "no_leader");
        assertThat(message(gateway, "no_worker")).isEqualTo("No node runs jobs: start a node with the role worker");
        assertThat(message(gateway, "no_leader")).contains("for 2 minutes: start a node with the role scheduler");
    }

    @Test
    void runsWithoutCodeNeedAttention(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new App());
        Node other = cluster.node(new Orders());
        cluster.client().workflows().start("order", "book");
        other.close();

        await().untilAsserted(() -> assertThat(message(gateway, "stranded_runs"))
                .startsWith("1 run of workflow order v1 has been blocked for "));
    }

    @Test
    void countsJobsAndMinutes(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new App());
        JobId ended = cluster.jobs().enqueue(JobRequest.of("greet", "Ada"));
        cluster.awaitEnded(ended);
        cluster.jobs().enqueue(JobRequest.of("greet", "Bob").delay(Duration.ofHours(1)));

        await().untilAsserted(() -> {
            Response overview = gateway.get("/_api/overview");
            assertThat(overview.body())
                    .contains("\"pending\":{\"count\":1,\"exact\":true}")
                    .contains("\"failed\":{\"count\":0,\"exact\":true}")
                    .contains("\"active\":1,");
            assertThat((List<?>) overview.at("minutes")).hasSize(60);
        });
        await().untilAsserted(() -> {
            Response counts = gateway.get("/_api/jobs/counts?name=greet&status=failed");
            assertThat((Map<?, ?>) counts.at("counts"))
                    .hasSize(JobStatus.known().size());
            assertThat(counts.body())
                    .contains("\"pending\":{\"count\":1,\"exact\":true}")
                    .contains("\"completed\":{\"count\":1,\"exact\":true}");
        });
    }

    @Test
    void runsAndTasksSayWhyTheyWait(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new App(), new Orders());
        String run = gateway.post("/_api/workflows", "{\"workflow_name\":\"order\",\"input\":\"book\"}")
                .text("id");
        gateway.post("/_api/queues/paused/pause", null);
        String graph = gateway.post(
                        "/_api/graphs",
                        "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"x\",\"queue\":\"paused\"},"
                                + "{\"id\":\"b\",\"name\":\"greet\",\"inputs\":\"x\",\"depends_on\":[\"a\"]}]}")
                .text("id");

        await().untilAsserted(
                        () -> assertThat(gateway.get("/_api/workflows/" + run).text("waiting_reason"))
                                .contains("waits for event 'paid'"));
        Response shown = gateway.get("/_api/graphs/" + graph);
        assertThat(shown.text("tasks", 0, "waiting_reason")).startsWith("queue 'paused' has been paused since");
        assertThat(shown.text("tasks", 1, "waiting_reason")).isEqualTo("waits for a (pending)");
    }

    @Test
    void aCallerLearnsWhoItIs(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new App());
        String tenant = gateway.create(KeyRequest.of("acme", Scope.WRITE).tenant("acme"))
                .key();

        Response me = gateway.get("/_api/me");
        Response other = gateway.send("GET", "/_api/me", tenant, null);

        assertThat(me.text("scope")).isEqualTo("admin");
        assertThat(me.text("auth")).isEqualTo("key");
        assertThat(me.text("node")).isEqualTo(gateway.node.id());
        assertThat(me.at("observer")).isEqualTo(false);
        assertThat(other.text("scope")).isEqualTo("write");
        assertThat(other.text("tenant")).isEqualTo("acme");
        assertThat(other.at("node")).isNull();
    }
}
