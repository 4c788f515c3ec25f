package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which jobs callers of a tenant may start, and with which options. */
@MusterTest
class TenantJobsIT {
    private static final Map<String, String> GATEWAY_ONLY = Map.of("node.roles", "gateway");

    static final class Shop {
        @Job(value = "send_mail", tenants = true)
        String mail(JobContext ctx, String to) {
            return to + " for " + ctx.tenant().orElse("nobody");
        }

        @Job(value = "ship", tenants = true, capability = "sandbox", queue = "ships", priority = Priority.LOW)
        void ship() {}

        @Job("delete_customer")
        String delete(JobContext ctx, String customer) {
            return customer + " deleted for " + ctx.tenant().orElse("nobody");
        }

        @Query(roles = "clerk")
        String books() {
            return "";
        }

        @Query
        String hello() {
            return "hello";
        }
    }

    /** The same names, all of them closed. */
    static final class ClosedShop {
        @Job("send_mail")
        void mail(String to) {}
    }

    private static String acme(GatewayNode gateway) {
        return gateway.create(KeyRequest.of("acme", Scope.WRITE).tenant("acme")).key();
    }

    private static void assertNotAllowed(Response answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(403);
        assertThat(answer.text("error", "code")).isEqualTo("forbidden");
    }

    @Test
    void aHandlerIsClosedToTenantsUnlessItSaysOtherwise(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String acme = acme(gateway);

        Response open = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"send_mail\",\"args\":\"ada\"}");

        assertThat(open.status()).as(open.body()).isEqualTo(201);
        assertThat(cluster.awaitEnded(JobId.of(open.text("id"))).result()).contains("\"ada for acme\"");
        String closed = "{\"name\":\"delete_customer\",\"args\":\"globex\"}";
        assertNotAllowed(gateway.send("POST", "/_api/jobs", acme, closed));
        assertNotAllowed(gateway.send(
                "POST",
                "/_api/jobs/many",
                acme,
                "{\"jobs\":[{\"name\":\"send_mail\",\"args\":\"ada\"}," + closed + "]}"));
        assertNotAllowed(gateway.send(
                "POST", "/_api/jobs", acme, "{\"name\":\"delete_customer\",\"args\":\"globex\",\"declared\":true}"));
        assertThat(cluster.client().jobs().list(JobQuery.all()))
                .as("nothing but the mail was enqueued")
                .hasSize(1);
        assertThat(gateway.post("/_api/jobs", closed).status())
                .as("callers without a tenant run it as before")
                .isEqualTo(201);
    }

    @Test
    void aTenantDoesNotLearnWhichOtherHandlersThereAre(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String acme = acme(gateway);

        Response closed = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"delete_customer\",\"args\":\"x\"}");
        Response unknown = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"nobody_has_it\",\"args\":\"x\"}");
        Response declared = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"nobody_has_it\",\"declared\":true}");

        assertThat(closed.text("error", "message"))
                .isEqualTo("job 'delete_customer' is not open to you; you may start send_mail, ship");
        for (Response answer : List.of(unknown, declared)) {
            assertNotAllowed(answer);
            assertThat(answer.text("error", "message").replace("nobody_has_it", "delete_customer"))
                    .isEqualTo(closed.text("error", "message"));
        }
    }

    @Test
    void aRefusalListsSomeNamesOnly(Cluster cluster) {
        Map<String, String> command = new LinkedHashMap<>();
        String all = String.join(
                ",", IntStream.range(100, 130).mapToObj(i -> "job_" + i).toList());
        command.put("executors.tool.kind", "process");
        command.put("executors.tool.command", "true");
        command.put("executors.tool.jobs", all);
        command.put("tenants.jobs", "job_1*");
        GatewayNode gateway = GatewayNode.start(cluster, command, new Shop());

        Response tenant = gateway.send("POST", "/_api/jobs", acme(gateway), "{\"name\":\"x\"}");
        Response other = gateway.post("/_api/jobs", "{\"name\":\"x\"}");

        assertThat(tenant.text("error", "message"))
                .endsWith("job_119 and 12 more")
                .doesNotContain("job_120");
        assertThat(other.status()).isEqualTo(400);
        assertThat(other.text("error", "message"))
                .contains("job_118 and 13 more.")
                .doesNotContain("job_119");
    }

    @Test
    void theSettingsOpenHandlersThatNobodyCanAnnotate(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("tenants.jobs", "delete_*"), new Shop());

        Response answer =
                gateway.send("POST", "/_api/jobs", acme(gateway), "{\"name\":\"delete_customer\",\"args\":\"own\"}");

        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        assertThat(cluster.awaitEnded(JobId.of(answer.text("id"))).result()).contains("\"own deleted for acme\"");
        assertThat(gateway.get("/_api/handlers").body())
                .contains("\"name\":\"delete_customer\"")
                .doesNotContain("\"tenants\":false");
    }

    @Test
    void anyGatewayKnowsWhichHandlersAreOpen(Cluster cluster) {
        cluster.node(new Shop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY_ONLY);
        String acme = acme(gateway);

        assertThat(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"send_mail\",\"args\":\"a\"}")
                        .status())
                .isEqualTo(201);
        assertNotAllowed(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"delete_customer\",\"args\":\"a\"}"));
    }

    @Test
    void aHandlerIsOpenWhenAllItsNodesOpenIt(Cluster cluster) {
        cluster.node(new Shop());
        Node closed = cluster.node(new ClosedShop());
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY_ONLY);
        String acme = acme(gateway);
        assertNotAllowed(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"send_mail\",\"args\":\"a\"}"));

        closed.close();

        await().until(() -> gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"send_mail\",\"args\":\"a\"}")
                        .status()
                == 201);
    }

    /** Nodes of a version that knew no tenants publish nothing about them. */
    @Test
    void aHandlerOfANodeThatSaysNothingOfTenantsIsClosed(Cluster cluster) {
        cluster.node(new Shop());
        cluster.database().execute("UPDATE muster_nodes SET handlers = handlers #- '{send_mail,tenants}'");
        GatewayNode gateway = GatewayNode.start(cluster, GATEWAY_ONLY);
        String acme = acme(gateway);

        assertNotAllowed(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"send_mail\",\"args\":\"a\"}"));
        assertThat(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"ship\"}")
                        .status())
                .isEqualTo(201);
    }

    /** What a gateway believes is a little old, and jobs wait: the node that runs the handler decides. */
    @Test
    void aHandlerThatWasClosedSinceIsNotEntered(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        JobId asked =
                JobId.of(gateway.send("POST", "/_api/jobs", acme(gateway), "{\"name\":\"send_mail\",\"args\":\"ada\"}")
                        .text("id"));
        JobId own = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("send_mail", "bob").metadata("tenant", "acme"));
        gateway.node.close();
        cluster.node(new ClosedShop());
        cluster.client().queues().resume("default");

        JobInfo refused = cluster.awaitEnded(asked);

        assertThat(refused.status()).isEqualTo(JobStatus.FAILED);
        assertThat(refused.error())
                .get()
                .asString()
                .contains("a caller of a tenant has asked for it, but its handler is not open to tenants");
        assertThat(cluster.awaitEnded(own).status())
                .as("what the application asks for, it may ask for")
                .isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void theHandlersPlacementAndPriorityStayItsOwn(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String acme = acme(gateway);
        for (String more : List.of(
                "\"capability\":\"\"",
                "\"placement\":{\"require\":[\"gpu\"]}",
                "\"priority\":\"normal\"",
                "\"queue\":\"default\"")) {
            assertNotAllowed(gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"ship\"," + more + "}"));
        }
        Response own = gateway.send("POST", "/_api/jobs", acme, "{\"name\":\"ship\",\"capability\":\"sandbox\"}");
        assertThat(own.status()).as(own.body()).isEqualTo(201);
        assertThat(own.text("queue")).isEqualTo("ships");
        String priority = "/_api/jobs/" + own.text("id") + "/reprioritise";

        assertNotAllowed(gateway.send("POST", priority, acme, "{\"priority\":\"critical\"}"));

        Response lower = gateway.send("POST", priority, acme, "{\"priority\":\"background\"}");
        assertThat(lower.status()).as(lower.body()).isEqualTo(200);
        assertThat(gateway.send("POST", priority, acme, "{\"priority\":\"low\"}")
                        .status())
                .as("back to the handler's own")
                .isEqualTo(200);
        assertThat(gateway.post(priority, "{\"priority\":\"critical\"}").status())
                .as("callers without a tenant as before")
                .isEqualTo(200);
    }

    @Test
    void aTenantSeesTheFunctionsThatItMayCall(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String clerk = gateway.create(KeyRequest.of("clerk", Scope.READ)
                        .roles(Set.of("clerk"))
                        .tenant("acme"))
                .key();
        String other = gateway.create(
                        KeyRequest.of("other", Scope.READ).names(Set.of("b*")).tenant("acme"))
                .key();

        assertThat(gateway.get("/_api/functions").body()).contains("\"books\"", "\"hello\"");
        assertThat(gateway.send("GET", "/_api/functions", clerk, null).body()).contains("\"books\"", "\"hello\"");
        assertThat(gateway.send("GET", "/_api/functions", acme(gateway), null).body())
                .contains("\"hello\"")
                .doesNotContain("books");
        assertThat(gateway.send("GET", "/_api/functions", other, null).body()).doesNotContain("books", "hello");
        assertThat(gateway.send("POST", "/_api/rpc/book", acme(gateway), null).body())
                .as("no suggestion either")
                .doesNotContain("books");
        assertUnknown(gateway.send("POST", "/_api/rpc/books", acme(gateway), null), "books");
        assertUnknown(gateway.send("POST", "/_api/rpc/shelf", acme(gateway), null), "shelf");
        for (String path : List.of("/_api/handlers", "/_api/names")) {
            assertThat(gateway.send("GET", path, acme(gateway), null).status())
                    .as(path)
                    .isEqualTo(403);
        }
    }

    private static void assertUnknown(Response answer, String function) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(404);
        assertThat(answer.text("error", "code")).isEqualTo("unknown_function");
        assertThat(answer.text("error", "message")).isEqualTo("there is no function '" + function + "'");
    }

    @Test
    void aTenantDoesNotSeeWhatMusterWritesIntoMetadata(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String acme = acme(gateway);
        Response own = gateway.send(
                "POST",
                "/_api/jobs",
                acme,
                "{\"name\":\"send_mail\",\"args\":\"ada\",\"metadata\":{\"order\":\"17\"}}");
        JobId ofBatch = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("send_mail", "bob").tenant("acme").engineMetadata("muster.batch", "theirs"));
        String list = "/_api/jobs";

        assertThat(own.at("metadata")).isEqualTo(Map.of("order", "17", "tenant", "acme"));
        assertThat(gateway.get(list).body()).contains("muster.tenant", "muster.batch", "theirs");
        for (String path : List.of(list, list + "/" + own.text("id"), list + "/" + ofBatch)) {
            assertThat(gateway.send("GET", path, acme, null).body())
                    .as(path)
                    .contains("\"tenant\":\"acme\"")
                    .doesNotContain("muster.", "theirs");
        }
    }

    @Test
    void nobodyForgesWhatMusterWritesIntoMetadata(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        for (String key : List.of(acme(gateway), gateway.key(Scope.ADMIN))) {
            for (String name : List.of("muster.batch", "muster.tick", "muster.catch_up", "muster.tenant")) {
                String job = "{\"name\":\"send_mail\",\"args\":\"ada\",\"metadata\":{\"" + name + "\":\"x\"}}";
                Response one = gateway.send("POST", "/_api/jobs", key, job);
                Response many = gateway.send("POST", "/_api/jobs/many", key, "{\"jobs\":[" + job + "]}");

                for (Response answer : List.of(one, many)) {
                    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
                    assertThat(answer.text("error", "message")).contains("names that begin with 'muster.'");
                }
            }
        }
        String job = "{\"name\":\"send_mail\",\"metadata\":{\"muster.batch\":\"x\"}}";
        for (String batch : List.of("\"on_complete\":" + job, "\"decided_by\":" + job, "\"jobs\":[" + job + "]")) {
            assertThat(gateway.post("/_api/batches", "{\"name\":\"b\"," + batch + "}")
                            .status())
                    .as(batch)
                    .isEqualTo(400);
        }
        assertThat(cluster.client().jobs().list(JobQuery.all())).isEmpty();
    }
}
