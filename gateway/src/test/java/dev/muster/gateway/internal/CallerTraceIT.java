package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Scope;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller has the gateway write belongs to the trace of its header traceparent. */
class CallerTraceIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with(new Shop());

    private final Cluster cluster = SHARED.cluster();
    private final GatewayNode gateway = SHARED.gateway();

    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String OTHER = "00-11111111111111111111111111111111-2222222222222222-01";

    static final class Shop {
        @Job("mail")
        void mail() {}

        @Job("done")
        void done() {}

        @Mutation
        String order(MutationContext ctx) {
            return ctx.jobs().enqueue(JobRequest.of("mail")).toString();
        }

        @Workflow(name = "checkout", version = "v1")
        void checkout(WorkflowContext wf) {}
    }

    private static Response send(GatewayNode gateway, String path, String body, String trace) {
        Response answer = gateway.send("POST", path, gateway.key(Scope.ADMIN), body, "traceparent", trace);
        assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
        return answer;
    }

    private static Optional<String> traceOf(Cluster cluster, String job) {
        return cluster.jobs().find(JobId.of(job)).orElseThrow().trace();
    }

    private static String enqueued(GatewayNode gateway, String body, String trace) {
        return send(gateway, "/_api/jobs", body, trace).text("id");
    }

    @Test
    void jobsBelongToTheTraceOfTheRequest() {

        assertThat(traceOf(cluster, enqueued(gateway, "{\"name\":\"mail\"}", TRACE)))
                .contains(TRACE);
        assertThat(traceOf(cluster, enqueued(gateway, "{\"name\":\"mail\",\"trace\":\"" + OTHER + "\"}", TRACE)))
                .as("the request names its trace itself")
                .contains(OTHER);
        String later = "cc" + TRACE.substring(2) + "-and-more";
        assertThat(traceOf(cluster, enqueued(gateway, "{\"name\":\"mail\"}", later)))
                .contains(TRACE);
        assertThat(traceOf(
                        cluster,
                        gateway.post("/_api/jobs", "{\"name\":\"mail\"}").text("id")))
                .as("the thread of an earlier request")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "'; DROP TABLE muster_jobs; --"
            })
    void aHeaderThatIsSampledOutOrNotWellFormedIsLeftOut(String header) {

        assertThat(traceOf(cluster, enqueued(gateway, "{\"name\":\"mail\"}", header)))
                .isEmpty();
    }

    @Test
    void runsAndWhatFunctionsEnqueueBelongToIt() {

        String run = send(gateway, "/_api/workflows", "{\"workflow_name\":\"checkout\"}", TRACE)
                .text("id");
        assertThat(traceOf(cluster, run)).contains(TRACE);
        assertThat(traceOf(
                        cluster, send(gateway, "/_api/rpc/order", null, TRACE).text("data")))
                .contains(TRACE);
    }

    @Test
    void tasksAndTheJobsOfBatchesBelongToIt() {
        String tasks =
                "{\"tasks\":[{\"id\":\"a\",\"name\":\"mail\"},{\"id\":\"b\",\"name\":\"mail\",\"depends_on\":[\"a\"]}]}";
        Response executed = send(
                gateway,
                "/",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":" + tasks + "}",
                TRACE);
        GraphId graph = GraphId.of(executed.text("result", "root_task_id"));
        assertThat(cluster.client().graphs().await(graph, SOON).status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(cluster.client().graphs().tree(graph).orElseThrow().tasks())
                .hasSize(2)
                .allSatisfy(task ->
                        assertThat(traceOf(cluster, task.job().toString())).contains(TRACE));

        send(
                gateway,
                "/_api/batches",
                "{\"name\":\"import\",\"on_complete\":{\"name\":\"done\"},\"jobs\":[{\"name\":\"mail\"}]}",
                TRACE);
        JobInfo done = await().atMost(SOON)
                .until(() -> cluster.jobs().list(JobQuery.all().name("done")), found -> !found.isEmpty())
                .get(0);
        assertThat(traceOf(cluster, done.id().toString())).contains(TRACE);
    }

    @Test
    void aFunctionThatAnotherNodeRunsBelongsToIt() {
        cluster.node(Map.of("node.roles", "function", "node.advertise", "127.0.0.1:0"), new Shop());
        GatewayNode other = GatewayNode.start(cluster, Map.of("node.roles", "gateway"));

        assertThat(traceOf(cluster, send(other, "/_api/rpc/order", null, TRACE).text("data")))
                .contains(TRACE);
    }
}
