package dev.muster.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.daemon.DaemonInfo;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.job.BatchId;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** One row that a newer Muster has written hides nothing from this one, and nothing is decided by what is not understood. */
@MusterTest(handlers = NewerTextsIT.App.class)
class NewerTextsIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    static final class App {
        @Job("later")
        void later() {}

        @Workflow(name = "order", version = "v1")
        void order(WorkflowContext wf) {
            wf.awaitEvent("paid", String.class);
        }

        @Daemon(name = "feed")
        void feed(DaemonContext ctx) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    private static MusterClient client(Cluster cluster) {
        Node node = cluster.node(Map.of("gateway.port", "0", "worker.lease", "1m", "node.queues", "default"));
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("it", Scope.ADMIN))
                .key();
        return MusterClient.builder()
                .server(URI.create("http://127.0.0.1:" + node.ports().get(0)))
                .key(key)
                .build();
    }

    private static JobRequest elsewhere() {
        return JobRequest.of("later").queue("elsewhere");
    }

    @Test
    void listsAndTreesShowWhatIsNotUnderstood(Cluster cluster) {
        MusterClient client = client(cluster);
        JobId job = client.jobs().enqueue(elsewhere());
        GraphId graph = client.graphs()
                .submit(GraphRequest.of(
                        TaskRequest.of("first", "later", null).queue("elsewhere"),
                        TaskRequest.of("second", "later", null)
                                .queue("elsewhere")
                                .dependsOn("first")));
        BatchId batch = client.batches().create(BatchRequest.of("batch"));
        JobId run = client.workflows().start("order", null);
        await().atMost(SOON)
                .until(() -> client.workflows().find(run).orElseThrow().status() == RunStatus.WAITING);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(client.daemons().list())
                        .extracting(DaemonInfo::status)
                        .containsExactly(DaemonInfo.Status.RUNNING));
        cluster.database().execute("""
                        ALTER TABLE muster_jobs DROP CONSTRAINT muster_jobs_status_check;
                        ALTER TABLE muster_graphs DROP CONSTRAINT muster_graphs_status_check;
                        ALTER TABLE muster_graph_tasks DROP CONSTRAINT muster_graph_tasks_status_check;
                        ALTER TABLE muster_batches DROP CONSTRAINT muster_batches_status_check;
                        ALTER TABLE muster_workflow_runs DROP CONSTRAINT muster_workflow_runs_status_check;
                        ALTER TABLE muster_daemons DROP CONSTRAINT muster_daemons_status_check;
                        UPDATE muster_jobs SET status = 'frozen' WHERE id = '%s';
                        UPDATE muster_graphs SET status = 'frozen';
                        UPDATE muster_graph_tasks SET status = 'frozen', trigger = 'at_dawn' WHERE task_id = 'second';
                        UPDATE muster_batches SET status = 'frozen', closed_at = muster_clock();
                        UPDATE muster_workflow_runs SET status = 'frozen';
                        UPDATE muster_daemons SET status = 'frozen', lease_until = 'infinity';
                        """.formatted(job));

        assertThat(client.jobs().list(JobQuery.all().queue("elsewhere")))
                .filteredOn(each -> each.id().equals(job))
                .extracting(each -> each.status())
                .containsExactly(JobStatus.UNKNOWN);
        assertThat(client.graphs().list(GraphQuery.all()))
                .extracting(GraphInfo::status)
                .containsExactly(GraphStatus.UNKNOWN);
        assertThat(client.graphs().tree(graph).orElseThrow().tasks())
                .extracting(TaskInfo::id, TaskInfo::status, TaskInfo::trigger)
                .containsExactly(
                        tuple("first", TaskStatus.PENDING, Trigger.ALL_SUCCESS),
                        tuple("second", TaskStatus.UNKNOWN, Trigger.UNKNOWN));
        assertThat(client.batches().list(BatchQuery.all()))
                .extracting(BatchInfo::id, BatchInfo::status)
                .containsExactly(tuple(batch, BatchStatus.UNKNOWN));
        assertThat(client.workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.UNKNOWN);
        assertThat(client.daemons().list()).extracting(DaemonInfo::status).containsExactly(DaemonInfo.Status.UNKNOWN);
    }

    @Test
    void aJobIsNotCancelledByAStatusThatIsNotUnderstood(Cluster cluster) {
        MusterClient client = client(cluster);
        JobId job = client.jobs().enqueue(elsewhere());
        cluster.database()
                .execute("ALTER TABLE muster_jobs DROP CONSTRAINT muster_jobs_status_check;"
                        + " UPDATE muster_jobs SET status = 'frozen' WHERE id = '" + job + "'");

        assertThatThrownBy(() -> cluster.jobs().cancel(job))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has the status 'frozen', which this version of Muster does not know");
        assertThat(cluster.jobs().find(job)).isPresent();
    }

    @Test
    void aCronWaitsForALeaderThatKnowsItsPolicy(Cluster cluster) {
        MusterClient client = client(cluster);
        client.crons().create(CronSpec.of("report", "0 * * * *", elsewhere()));
        client.crons().create(CronSpec.of("other", "0 * * * *", elsewhere()));
        cluster.database()
                .execute("ALTER TABLE muster_crons DROP CONSTRAINT muster_crons_overlap_check,"
                        + " DROP CONSTRAINT muster_crons_misfire_check;"
                        + " UPDATE muster_crons SET overlap = 'queue', misfire = 'ask' WHERE name = 'report'");
        CronInfo before = client.crons().find("report").orElseThrow();
        assertThat(before.definition().overlap()).isEqualTo(Overlap.UNKNOWN);
        assertThat(before.definition().misfire()).isEqualTo(Misfire.UNKNOWN);

        cluster.clock().advance(Duration.ofHours(1));

        await().atMost(SOON).untilAsserted(() -> {
            assertThat(client.crons().find("report").orElseThrow().problem().orElse(""))
                    .contains("has a misfire policy that this version of Muster does not know");
            assertThat(client.crons().find("other").orElseThrow().lastJob()).isPresent();
        });
        CronInfo after = client.crons().find("report").orElseThrow();
        assertThat(after.lastJob()).isEmpty();
        assertThat(after.nextTick()).isEqualTo(before.nextTick());
        assertThatThrownBy(() -> CronSpec.of("report", "0 * * * *", elsewhere()).overlap(Overlap.UNKNOWN))
                .hasMessageContaining("UNKNOWN is no overlap policy to choose");
    }

    @Test
    void aKeyWithAScopeThatIsNotUnderstoodMayDoNothing(Cluster cluster) {
        MusterClient client = client(cluster);
        CreatedKey key = client.apiKeys().create(KeyRequest.of("newer", Scope.WRITE));
        cluster.database().execute("UPDATE muster_api_keys SET scopes = '{dream}' WHERE name = 'newer'");

        assertThat(client.apiKeys().list())
                .extracting(ApiKeyInfo::name, ApiKeyInfo::scope)
                .containsExactlyInAnyOrder(tuple("it", Scope.ADMIN), tuple("newer", Scope.UNKNOWN));
        assertThat(cluster.client()
                        .apiKeys()
                        .find(key.info().id())
                        .orElseThrow()
                        .scope())
                .isEqualTo(Scope.UNKNOWN);
        assertThat(Scope.UNKNOWN.includes(Scope.UNKNOWN)).isFalse();
        assertThat(Scope.ADMIN.includes(Scope.UNKNOWN)).isFalse();
        assertThatThrownBy(() -> KeyRequest.of("newest", Scope.UNKNOWN)).hasMessageContaining("no scope to choose");
    }
}
