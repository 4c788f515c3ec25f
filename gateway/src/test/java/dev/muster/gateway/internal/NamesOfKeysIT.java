package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Mutation;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.schedule.CronSpec;
import dev.muster.testkit.Cluster;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys that may start what has certain names only. */
class NamesOfKeysIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with(new Shop());

    /** Routes that start something by its name: a caller with patterns may not start what none of them matches. */
    private static final Set<String> STARTING = Set.of(
            "POST /",
            "POST /_api/rpc/{function}",
            "POST /_api/jobs",
            "POST /_api/jobs/many",
            "POST /_api/jobs/retry",
            "POST /_api/jobs/{id}/retry",
            "POST /_api/workflows",
            "POST /_api/workflows/{id}/retry",
            "POST /_api/graphs",
            "POST /_api/graphs/{id}/retry",
            "POST /_api/graphs/{id}/tasks/{task}/retry",
            "POST /_api/batches",
            "POST /_api/crons",
            "PUT /_api/crons/{name}",
            "POST /_api/crons/{name}/trigger",
            "POST /_api/keys",
            "POST /_api/keys/{id}/rotate");

    /** Routes that change something that is there, and start nothing. */
    private static final Set<String> CHANGING = Set.of(
            "POST /_api/jobs/cancel",
            "POST /_api/jobs/{id}/cancel",
            "POST /_api/jobs/{id}/reschedule",
            "POST /_api/jobs/{id}/reprioritise",
            "POST /_api/workflows/definitions/{name}/pause",
            "POST /_api/workflows/definitions/{name}/resume",
            "POST /_api/workflows/definitions/{name}/{version}/retire",
            "POST /_api/workflows/{id}/signal",
            "POST /_api/workflows/{id}/cancel",
            "POST /_api/graphs/{id}/cancel",
            "POST /_api/graphs/{id}/tasks/{task}/cancel",
            "POST /_api/batches/{id}/seal",
            "POST /_api/batches/{id}/cancel",
            "POST /_api/crons/{name}/pause",
            "POST /_api/crons/{name}/resume",
            "POST /_api/queues/{name}/pause",
            "POST /_api/queues/{name}/resume",
            "PUT /_api/queues/{name}/limit",
            "POST /_api/nodes/{id}/drain",
            "POST /_api/daemons/{name}/reset");

    private final Cluster cluster = SHARED.cluster();
    private final GatewayNode gateway = SHARED.gateway();
    private final CreatedKey key =
            gateway.create(KeyRequest.of("mail", Scope.ADMIN).names(Set.of("mail_*")));

    static final class Shop {
        @Job(value = "mail_welcome", tenants = true)
        void mail(String to) {}

        @Job(value = "mail_fails", maxAttempts = 1)
        void fail() {
            throw new IllegalStateException("no");
        }

        @Job(value = "mail_bounces", maxAttempts = 1)
        void bounce() {
            throw new IllegalStateException("no");
        }

        @Job(value = "delete_customer", tenants = true, maxAttempts = 1)
        void delete() {
            throw new IllegalStateException("no");
        }

        @Query
        String mail_boxes() {
            return "boxes";
        }

        @Mutation
        void delete_box() {}

        @Workflow(name = "delete_all", version = "v1")
        void deleteAll(WorkflowContext ctx) {
            throw new IllegalStateException("no");
        }
    }

    private Response send(String method, String path, @Nullable String body) {
        return gateway.send(method, path, key.key(), body);
    }

    private void assertForbidden(String method, String path, @Nullable String body) {
        Response answer = send(method, path, body);
        assertThat(answer.status()).as("%s %s: %s", method, path, answer.body()).isEqualTo(403);
        assertThat(answer.body()).contains("mail_*");
    }

    @Test
    void everyRouteThatWritesIsKnownToStartSomethingOrNot() {
        List<String> writing = Routes.all().stream()
                .filter(route -> route.method() != Route.Method.GET && route.method() != Route.Method.DELETE)
                .map(Route::toString)
                .toList();
        List<String> known = new ArrayList<>(STARTING);
        known.addAll(CHANGING);

        assertThat(known)
                .as("say of every route that writes whether it starts something by its name, and test it here")
                .containsExactlyInAnyOrderElementsOf(writing);
    }

    @Test
    void jobsAreStartedByTheirNames() {
        String mail = "{\"name\":\"mail_welcome\",\"args\":\"ada\"}";
        String delete = "{\"name\":\"delete_customer\"}";

        assertThat(send("POST", "/_api/jobs", mail).status()).isEqualTo(201);
        assertThat(send("POST", "/_api/jobs/many", "{\"jobs\":[" + mail + "]}").status())
                .isEqualTo(201);
        assertThat(send(
                                "POST",
                                "/_api/batches",
                                "{\"name\":\"a\",\"on_complete\":" + mail + ",\"jobs\":[" + mail + "]}")
                        .status())
                .isEqualTo(201);
        assertForbidden("POST", "/_api/jobs", delete);
        assertForbidden("POST", "/_api/jobs", "{\"name\":\"nobody_has_it\"}");
        assertForbidden("POST", "/_api/jobs", "{\"name\":\"nobody_has_it\",\"declared\":true}");
        assertForbidden("POST", "/_api/jobs/many", "{\"jobs\":[" + mail + "," + delete + "]}");
        assertForbidden("POST", "/_api/batches", "{\"name\":\"a\",\"jobs\":[" + delete + "]}");
        assertForbidden("POST", "/_api/batches", "{\"name\":\"a\",\"on_complete\":" + delete + "}");
        assertForbidden("POST", "/_api/batches", "{\"name\":\"a\",\"decided_by\":" + delete + "}");
        Response unknown = send("POST", "/_api/jobs", "{\"name\":\"mail_nobody_has\"}");
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.text("error", "message"))
                .contains("mail_bounces, mail_fails, mail_welcome")
                .doesNotContain("delete_customer");
    }

    @Test
    void jobsAreRetriedByTheirNames() {
        JobId mail = cluster.client().jobs().enqueue(JobRequest.of("mail_bounces"));
        JobId delete = cluster.client().jobs().enqueue(JobRequest.of("delete_customer"));
        cluster.awaitEnded(mail);
        cluster.awaitEnded(delete);

        assertForbidden("POST", "/_api/jobs/" + delete + "/retry", null);
        assertForbidden("POST", "/_api/jobs/" + mail + "/retry?with_dependents=true", null);
        assertForbidden("POST", "/_api/jobs/retry?name=delete_customer", null);
        assertForbidden("POST", "/_api/jobs/retry?status=failed", null);
        assertThat(send("POST", "/_api/jobs/" + mail + "/retry", null).status()).isEqualTo(200);
        cluster.awaitEnded(mail);
        assertThat(send("POST", "/_api/jobs/retry?name=mail_bounces", null).text("retried"))
                .isEqualTo("1");
        assertThat(send("GET", "/_api/jobs/" + delete, null).status())
                .as("reading is not restricted")
                .isEqualTo(200);
        assertThat(send("POST", "/_api/jobs/" + delete + "/cancel", null).status())
                .as("neither is ending something")
                .isEqualTo(200);
    }

    @Test
    void workflowsAndGraphsAreStartedByTheirNames() {
        String run = gateway.post("/_api/workflows", "{\"workflow_name\":\"delete_all\"}")
                .text("id");
        cluster.client().workflows().await(JobId.of(run), GatewayNode.PATIENCE);
        String graph = gateway.post("/_api/graphs", "{\"tasks\":[" + task("delete_customer") + "]}")
                .text("id");
        String execute = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[";

        assertForbidden("POST", "/_api/workflows", "{\"workflow_name\":\"delete_all\"}");
        assertForbidden("POST", "/_api/workflows", "{\"workflow_name\":\"nobody_has_it\"}");
        assertForbidden("POST", "/_api/workflows/" + run + "/retry", null);
        assertForbidden(
                "POST", "/_api/graphs", "{\"tasks\":[" + task("mail_fails") + "," + task("delete_customer") + "]}");
        assertForbidden("POST", "/_api/graphs/" + graph + "/retry", null);
        assertForbidden("POST", "/_api/graphs/" + graph + "/tasks/delete_customer/retry", null);
        Response refused = send("POST", "/", execute + task("delete_customer") + "]}}");
        assertThat(refused.text("error", "data", "code")).as(refused.body()).isEqualTo("forbidden");
        assertThat(send("POST", "/_api/graphs", "{\"tasks\":[" + task("mail_fails") + "]}")
                        .status())
                .isEqualTo(201);
        assertThat(send("POST", "/", execute + task("mail_fails") + "]}}").text("result", "status"))
                .isEqualTo("started");
    }

    private static String task(String name) {
        return "{\"id\":\"" + name + "\",\"name\":\"" + name + "\"}";
    }

    @Test
    void cronsEnqueueByTheNamesOfTheirJobs() {
        cluster.client().crons().create(CronSpec.of("purge", "0 0 1 1 *", JobRequest.of("delete_customer")));
        String mail = "{\"name\":\"welcome\",\"expression\":\"0 0 1 1 *\",\"job\":\"mail_fails\"}";
        String delete = mail.replace("mail_fails", "delete_customer");

        assertThat(send("POST", "/_api/crons", mail).status()).isEqualTo(201);
        assertThat(send("PUT", "/_api/crons/welcome", mail).status()).isEqualTo(200);
        assertThat(send("POST", "/_api/crons/welcome/trigger", null).status()).isEqualTo(201);
        assertForbidden("POST", "/_api/crons", delete.replace("welcome", "other"));
        assertForbidden("PUT", "/_api/crons/welcome", delete);
        assertForbidden("POST", "/_api/crons/purge/trigger", null);
    }

    @Test
    void functionsAreCalledByTheirNames() {
        assertThat(send("POST", "/_api/rpc/mail_boxes", null).status()).isEqualTo(200);
        assertForbidden("POST", "/_api/rpc/delete_box", null);
        assertForbidden("POST", "/_api/rpc/nobody_has_it", null);
    }

    @Test
    void noKeyMakesOneThatMayStartMore() {
        assertForbidden("POST", "/_api/keys", "{\"name\":\"k\",\"scope\":\"write\"}");
        assertForbidden("POST", "/_api/keys", "{\"name\":\"k\",\"scope\":\"write\",\"names\":[\"**\"]}");
        String wide = gateway.create(KeyRequest.of("wide", Scope.WRITE)).info().id();
        assertForbidden("POST", "/_api/keys/" + wide + "/rotate", null);

        Response own = send("POST", "/_api/keys", "{\"name\":\"k\",\"scope\":\"write\",\"names\":[\"mail_*\"]}");
        Response rotated = send("POST", "/_api/keys/" + own.text("id") + "/rotate", null);

        assertThat(own.status()).as(own.body()).isEqualTo(201);
        assertThat(rotated.at("names")).isEqualTo(List.of("mail_*"));
        assertThat(send("GET", "/_api/me", null).at("names")).isEqualTo(List.of("mail_*"));
        assertThat(gateway.get("/_api/me").at("names")).isEqualTo(List.of("**"));
        Response none = send("POST", "/_api/keys", "{\"name\":\"k\",\"scope\":\"write\",\"names\":[]}");
        assertThat(gateway.send("POST", "/_api/jobs", none.text("key"), "{\"name\":\"mail_fails\"}")
                        .status())
                .as("without a pattern nothing is started")
                .isEqualTo(403);
        Response wrong = gateway.post("/_api/keys", "{\"name\":\"k\",\"scope\":\"write\",\"names\":[\"A\"]}");
        assertThat(wrong.status()).as(wrong.body()).isEqualTo(400);
        assertThat(wrong.text("error", "message")).startsWith("names: ");
    }

    @Test
    void namesRestrictTenantsToo() {
        String acme = gateway.create(KeyRequest.of("acme", Scope.WRITE)
                        .names(Set.of("mail_*"))
                        .tenant("acme"))
                .key();
        SoftAssertions softly = new SoftAssertions();

        softly.assertThat(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"mail_welcome\",\"args\":\"ada\"}")
                        .status())
                .isEqualTo(201);
        for (String name : List.of("delete_customer", "nobody_has_it")) {
            Response refused = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"" + name + "\"}");
            softly.assertThat(refused.status()).isEqualTo(403);
            softly.assertThat(refused.text("error", "message"))
                    .isEqualTo("job '" + name + "' is not open to you; you may start mail_welcome");
        }
        softly.assertAll();
    }
}
