package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.graph.GraphId;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** JSON-RPC as programs use it: over HTTP, with graphs that run. */
class JsonRpcIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with(new Greetings());

    private final Cluster cluster = SHARED.cluster();
    private final GatewayNode gateway = SHARED.gateway();

    private static final String TASKS = "[{\"id\":\"first\",\"name\":\"greet\",\"inputs\":\"Ada\"},"
            + "{\"id\":\"second\",\"name\":\"greet\",\"inputs\":{\"from\":\"first\"},\"depends_on\":[\"first\"]}]";

    /** Greets whom it is told to greet. */
    static final class Greetings {
        @Job("greet")
        String greet(String name) {
            return "hello " + name;
        }
    }

    private static String call(Object id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static String task(Object id) {
        return "{\"task_id\":\"" + id + "\"}";
    }

    /** A call that is answered with status 200. */
    private static Response ask(GatewayNode gateway, String method, String params) {
        Response answer = gateway.post("/", call(7, method, params));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.at("jsonrpc")).isEqualTo("2.0");
        assertThat(answer.text("id")).isEqualTo("7");
        return answer;
    }

    private static void assertRefused(Response answer, int code, String message) {
        assertThat(answer.text("error", "code")).as(answer.body()).isEqualTo(String.valueOf(code));
        assertThat(answer.text("error", "data", "message")).contains(message);
        assertThat(((Map<?, ?>) answer.at()).containsKey("result")).isFalse();
    }

    /** Submits two tasks, and returns the id of their graph. */
    private static String execute(GatewayNode gateway, String name) {
        Response answer = ask(gateway, "tasks.execute", "{\"name\":\"" + name + "\",\"tasks\":" + TASKS + "}");
        assertThat(answer.text("result", "task_count")).as(answer.body()).isEqualTo("2");
        return answer.text("result", "root_task_id");
    }

    private static Response ended(GatewayNode gateway, String id) {
        return await().until(
                        () -> ask(gateway, "tasks.get", task(id)),
                        answer -> answer.at("result", "finished_at") != null);
    }

    @Test
    void aGraphIsSubmittedAndFollowedToItsEnd() {

        String id = execute(gateway, "greetings");

        Response graph = ended(gateway, id);
        assertThat(graph.text("result", "status")).as(graph.body()).isEqualTo("completed");
        assertThat(graph.text("result", "name")).isEqualTo("greetings");
        assertThat(graph.text("result", "counts", "completed")).isEqualTo("2");
        Response tree = ask(gateway, "tasks.tree", task(id));
        assertThat(tree.text("result", "task", "id")).isEqualTo(id);
        assertThat(tree.text("result", "children", 0, "task", "id")).isEqualTo("first");
        assertThat(tree.text("result", "children", 0, "children", 0, "task", "id"))
                .isEqualTo("second");
        assertThat(tree.text("result", "children", 0, "children", 0, "task", "result"))
                .isEqualTo("hello hello Ada");
        assertThat((List<?>) tree.at("result", "tasks")).hasSize(2);
        Response job = ask(gateway, "tasks.get", task(tree.text("result", "tasks", 0, "job_id")));
        assertThat(job.text("result", "name")).isEqualTo("greet");
        assertThat(job.text("result", "status")).isEqualTo("completed");
    }

    @Test
    void graphsAreListedPageByPage() {
        String older = execute(gateway, "one");
        String newer = execute(gateway, "one");
        String other = execute(gateway, "other");
        List.of(older, newer, other).forEach(id -> ended(gateway, id));

        Response first = ask(gateway, "tasks.list", "{\"name\":\"one\",\"status\":\"completed\",\"limit\":1}");
        Response second =
                ask(gateway, "tasks.list", "{\"name\":\"one\",\"before\":\"" + first.text("result", "next") + "\"}");

        assertThat(first.text("result", "tasks", 0, "id")).isEqualTo(newer);
        assertThat((List<?>) second.at("result", "tasks")).hasSize(1);
        assertThat(second.text("result", "tasks", 0, "id")).isEqualTo(older);
        assertThat(second.at("result", "next")).isNull();
        assertThat(ask(gateway, "tasks.list", "{}").body()).contains(older, newer, other);
        assertThat((List<?>)
                        ask(gateway, "tasks.list", "{\"status\":\"failed\"}").at("result", "tasks"))
                .isEmpty();
    }

    @Test
    void aGraphIsCancelledOnce() {
        cluster.client().queues().pause("default");
        String id = execute(gateway, "greetings");

        Response tree = ask(gateway, "tasks.tree", task(id));
        assertThat(tree.text("result", "tasks", 0, "waiting_reason"))
                .startsWith("queue 'default' has been paused since");
        assertThat(tree.text("result", "children", 0, "task", "waiting_reason"))
                .startsWith("queue 'default' has been paused since");
        assertThat(tree.text("result", "children", 0, "children", 0, "task", "waiting_reason"))
                .isEqualTo("waits for first (pending)");
        Response cancelled =
                ask(gateway, "tasks.cancel", "{\"task_id\":\"" + id + "\",\"reason\":\"not needed any more\"}");

        assertThat(cancelled.at("result")).isEqualTo(Map.of("task_id", id, "status", "cancelled"));
        Response graph = ended(gateway, id);
        assertThat(graph.text("result", "status")).as(graph.body()).isEqualTo("cancelled");
        assertThat(graph.text("result", "reason")).contains("not needed any more");
        assertRefused(ask(gateway, "tasks.cancel", task(id)), -32009, "has ended");
        cluster.client().queues().resume("default");
    }

    @Test
    void everyMethodSaysWhatIsWrong() {
        String nobody = JobId.next().toString();

        assertRefused(ask(gateway, "tasks.execute", "{\"name\":\"x\"}"), -32602, "tasks");
        assertRefused(
                ask(gateway, "tasks.execute", "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"depends_on\":[\"b\"]}]}"),
                -32602,
                "b");
        assertRefused(ask(gateway, "tasks.execute", "[1]"), -32602, "must be an object");
        for (String method : List.of("tasks.get", "tasks.tree", "tasks.cancel")) {
            assertRefused(ask(gateway, method, task(nobody)), -32004, nobody);
            assertRefused(ask(gateway, method, task("x")), -32602, "task_id");
            assertRefused(ask(gateway, method, "{}"), -32602, "task_id");
            assertRefused(ask(gateway, method, "{\"id\":1}"), -32602, "id");
        }
        assertRefused(ask(gateway, "tasks.list", "{\"limit\":0}"), -32602, "limit");
        assertRefused(ask(gateway, "tasks.list", "{\"status\":\"sleepy\"}"), -32602, "sleepy");
        assertRefused(ask(gateway, "tasks.list", "{\"before\":\"x\"}"), -32602, "before");
        Response wrongParams = gateway.post("/", call(1, "tasks.methods", "\"all\""));
        assertThat(wrongParams.status()).isEqualTo(400);
        assertThat(wrongParams.text("error", "code")).isEqualTo("-32600");
        Response noJson = gateway.post("/", "{\"jsonrpc\"");
        assertThat(noJson.status()).isEqualTo(400);
        assertThat(noJson.text("error", "code")).isEqualTo("-32700");
    }

    @Test
    void aBatchIsAnsweredCallByCall() {
        String notification =
                "{\"jsonrpc\":\"2.0\",\"method\":\"tasks.execute\",\"params\":{\"name\":\"unanswered\",\"tasks\":"
                        + TASKS + "}}";

        Response batch = gateway.post(
                "/",
                "[" + call(1, "tasks.methods", "{}") + "," + notification + ","
                        + call("\"two\"", "tasks.execute", "{\"tasks\":" + TASKS + "}") + ","
                        + call(3, "tasks.nope", "{}") + ",17]");

        assertThat(batch.status()).as(batch.body()).isEqualTo(200);
        assertThat((List<?>) batch.at()).hasSize(4);
        assertThat(batch.at(0, "result", "methods"))
                .isEqualTo(List.of(
                        "tasks.cancel", "tasks.execute", "tasks.get", "tasks.list", "tasks.methods", "tasks.tree"));
        assertThat(batch.text(1, "id")).isEqualTo("two");
        assertThat(cluster.client().graphs().find(GraphId.of(batch.text(1, "result", "root_task_id"))))
                .isPresent();
        assertThat(batch.text(2, "error", "code")).isEqualTo("-32601");
        assertThat(batch.text(3, "error", "code")).isEqualTo("-32600");
        assertThat((List<?>)
                        ask(gateway, "tasks.list", "{\"name\":\"unanswered\"}").at("result", "tasks"))
                .as("the notification was executed")
                .hasSize(1);
    }

    @Test
    void notificationsAloneAreNotAnswered() {
        String notification =
                "{\"jsonrpc\":\"2.0\",\"method\":\"tasks.execute\",\"params\":{\"name\":\"silent\",\"tasks\":" + TASKS
                        + "}}";

        for (String body : List.of(notification, "[" + notification + "]")) {
            Response answer = gateway.post("/", body);
            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.body()).isEmpty();
        }

        assertThat((List<?>) ask(gateway, "tasks.list", "{\"name\":\"silent\"}").at("result", "tasks"))
                .hasSize(2);
    }

    @Test
    void eachCallOfABatchNeedsItsOwnScope() {
        String id = execute(gateway, "greetings");

        Response batch = gateway.send(
                "POST",
                "/",
                gateway.key(Scope.READ),
                "[" + call(1, "tasks.execute", "{\"tasks\":" + TASKS + "}") + "," + call(2, "tasks.cancel", task(id))
                        + "," + call(3, "tasks.get", task(id)) + "]");

        assertThat(batch.status()).as(batch.body()).isEqualTo(200);
        assertThat(batch.text(0, "error", "code")).isEqualTo("-32003");
        assertThat(batch.text(1, "error", "code")).isEqualTo("-32003");
        assertThat(batch.text(2, "result", "id")).isEqualTo(id);
    }

    /** A graph may have ten thousand tasks and fifty thousand dependencies, and a batch a hundred calls. */
    @Test
    void whoAsksForAGraphOrCancelsItDoesNotMakeTheNodeReadItsTasks() {
        CountingDataSource source = new CountingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("node.roles", "gateway")
                .set("gateway.port", "0")
                .build()) {
            muster.start();
            String key = gateway.key(Scope.WRITE);
            GatewayNode other = GatewayNode.of(cluster, muster.ports().get(0));
            cluster.client().queues().pause("default");
            String id = execute(gateway, "greetings");
            source.forget();

            Response asked = other.send("POST", "/", key, call(1, "tasks.get", task(id)));
            Response cancelled = other.send("POST", "/", key, call(2, "tasks.cancel", task(id)));

            cluster.client().queues().resume("default");
            assertThat(asked.at("result", "counts").toString()).contains("pending", "waiting");
            assertThat(cancelled.text("result", "status")).as(cancelled.body()).isEqualTo("cancelled");
            assertThat(source.with("muster_text(t.inputs)")).isEmpty();
            assertThat(other.send("POST", "/", key, call(3, "tasks.tree", task(id)))
                            .status())
                    .isEqualTo(200);
            assertThat(source.with("muster_text(t.inputs)")).isNotEmpty();
        }
    }
}
