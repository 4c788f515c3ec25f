package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.schedule.Cron;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the routes really answer is what the OpenAPI document says: every member is listed, and has its type. */
@MusterTest
class SchemasIT {

    static final class Everything {
        @Job("greet")
        String greet(String name) {
            return "hello " + name;
        }

        @Cron("0 3 * * *")
        void nightly() {}

        @Daemon
        void watch(DaemonContext ctx) {
            while (!ctx.awaitShutdown(Duration.ofMillis(100))) {
                Thread.onSpinWait();
            }
        }

        @Query
        String hello() {
            return "hello";
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, String cart) {
            return wf.step("charge", String.class, ctx -> "charged " + cart);
        }
    }

    @Test
    void everyAnswerFitsItsSchema(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Everything());
        String job = gateway.post(
                        "/_api/jobs",
                        "{\"name\":\"greet\",\"args\":\"Ada\",\"tags\":[\"a\"],\"metadata\":{\"k\":\"v\"}}")
                .text("id");
        cluster.awaitEnded(JobId.of(job));
        String run = gateway.post("/_api/workflows", "{\"workflow_name\":\"checkout\",\"input\":\"cart\"}")
                .text("id");
        cluster.client().workflows().await(JobId.of(run), Duration.ofMinutes(2));
        String graph = gateway.post("/_api/graphs", "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"x\"}]}")
                .text("id");
        String batch = gateway.post("/_api/batches", "{\"name\":\"b\",\"jobs\":[{\"name\":\"greet\",\"args\":\"x\"}]}")
                .text("id");
        gateway.post("/_api/queues/mail/pause", null);
        cluster.client().locks().tryAcquire("export", Duration.ofMinutes(1));
        String key = gateway.create(KeyRequest.of("k", Scope.READ).tenant("acme"))
                .info()
                .id();
        Map<String, String> names = Map.of(
                "/_api/jobs/", job,
                "/_api/workflows/", run,
                "/_api/graphs/", graph,
                "/_api/batches/", batch,
                "/_api/queues/", "mail",
                "/_api/crons/", "nightly",
                "/_api/keys/", key,
                "/_api/nodes/", gateway.node.id());
        List<String> wrong = new ArrayList<>();
        for (Route route : Routes.all()) {
            if (route.method() == Route.Method.GET
                    && route.answersJson()
                    && !route.path().contains("{version}")) {
                // Sending compares the answer with the document.
                Response answer = gateway.get(path(route, names));
                if (answer.status() != route.status()) {
                    wrong.add(route + " answered " + answer.status() + ": " + answer.body());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static String path(Route route, Map<String, String> names) {
        String path = route.path();
        for (Map.Entry<String, String> name : names.entrySet()) {
            if (path.startsWith(name.getKey() + "{")) {
                path = path.replaceFirst("\\{[a-z]+}", name.getValue());
            }
        }
        return path.replace("{task}", "a").replace("{path}", "0");
    }
}
