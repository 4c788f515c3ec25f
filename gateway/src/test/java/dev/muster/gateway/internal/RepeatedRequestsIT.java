package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import org.junit.jupiter.api.Test;

/** A key that is sent again: 201 for what is new, 200 for the same request, 409 for another one; for jobs, runs and graphs alike. */
@MusterTest
class RepeatedRequestsIT {

    static final class Shop {
        @Job("greet")
        void greet(String name) {}

        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf, String article) {
            return wf.awaitEvent("paid", String.class);
        }
    }

    private static void assertOnce(GatewayNode gateway, String path, String first, String same, String other) {
        String key = gateway.key(Scope.WRITE);

        Response created = gateway.send("POST", path, key, first);
        Response repeated = gateway.send("POST", path, key, same);
        Response refused = gateway.send("POST", path, key, other);

        assertThat(created.status()).as(created.body()).isEqualTo(201);
        assertThat(repeated.status()).as(repeated.body()).isEqualTo(200);
        assertThat(repeated.text("id")).isEqualTo(created.text("id"));
        assertThat(repeated.header("Location"))
                .isEqualTo(created.header("Location"))
                .endsWith(created.text("id"));
        assertThat(refused.status()).as(refused.body()).isEqualTo(409);
        assertThat(refused.text("error", "code")).isEqualTo("key_conflict");
        assertThat(refused.text("error", "details", "existing")).isEqualTo(created.text("id"));
    }

    private static String graph(String inputs, String more) {
        return "{\"key\":\"g\",\"name\":\"etl\",\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":" + inputs + more
                + "}]}";
    }

    @Test
    void aKeyStandsForOneRequest(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String job = "{\"name\":\"greet\",\"queue\":\"elsewhere\",\"key\":\"j\",\"args\":";
        assertOnce(gateway, "/_api/jobs", job + "\"Ada\"}", job + " \"\\u0041da\"}", job + "\"Bob\"}");
        String run = "{\"workflow_name\":\"order\",\"key\":\"r\",\"input\":";
        assertOnce(gateway, "/_api/workflows", run + "\"Ada\"}", run + " \"\\u0041da\"}", run + "\"Bob\"}");
        assertOnce(gateway, "/_api/graphs", graph("\"Ada\"", ""), graph(" \"\\u0041da\"", ""), graph("\"Bob\"", ""));
        String otherQueue = graph("\"Ada\"", ",\"queue\":\"other\"");
        assertThat(gateway.post("/_api/graphs", otherQueue).status())
                .as("the same inputs, another queue")
                .isEqualTo(409);
    }

    @Test
    void aHeaderIsAKeyToo(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String key = gateway.key(Scope.WRITE);
        String[] header = {"Idempotency-Key", "k"};
        String run = "{\"workflow_name\":\"order\",\"input\":\"Ada\"}";

        assertThat(gateway.send("POST", "/_api/workflows", key, run, header).status())
                .isEqualTo(201);
        assertThat(gateway.send("POST", "/_api/workflows", key, run, header).status())
                .isEqualTo(200);
        assertThat(gateway.send("POST", "/_api/workflows", key, run.replace("Ada", "Bob"), header)
                        .status())
                .isEqualTo(409);
    }

    @Test
    void overJsonRpcTheAnswerSaysWhetherTheGraphIsNew(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());

        Response first = gateway.post("/", call("\"Ada\""));
        Response second = gateway.post("/", call("\"Ada\""));
        Response other = gateway.post("/", call("\"Bob\""));

        assertThat(first.at("result", "created")).as(first.body()).isEqualTo(true);
        assertThat(second.at("result", "created")).as(second.body()).isEqualTo(false);
        assertThat(second.text("result", "root_task_id")).isEqualTo(first.text("result", "root_task_id"));
        assertThat(other.text("error", "data", "code")).as(other.body()).isEqualTo("key_conflict");
    }

    private static String call(String inputs) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":" + graph(inputs, "") + "}";
    }
}
