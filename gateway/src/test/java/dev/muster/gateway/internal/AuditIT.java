package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the audit keeps of requests, and what it must not. */
@MusterTest
class AuditIT {
    private static final String SECRET = "s3cr3t-of-the-customer";
    private static final Map<String, String> ENCRYPTED =
            Map.of("encryption.keys", "k1=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "encryption.required", "true");

    static final class Shop {
        @Job("greet")
        void greet(Map<String, String> args) {}
    }

    private static String cron(String name, String expression, String more) {
        return "{\"name\":\"" + name + "\",\"expression\":\"" + expression
                + "\",\"job\":\"greet\",\"options\":{\"queue\":\"mail\"},\"args\":{\"password\":\"" + SECRET + "\"}"
                + more
                + "}";
    }

    private static String everyRow(Cluster cluster) {
        StringBuilder all = new StringBuilder();
        for (String table : cluster.database()
                .column("SELECT quote_ident(schemaname) || '.' || quote_ident(tablename)"
                        + " FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
            cluster.database().column("SELECT t::text FROM " + table + " t").forEach(all::append);
        }
        return all.toString();
    }

    private static List<AuditEntry> entries(Cluster cluster, String action) {
        return cluster.client().audit().list(AuditQuery.newest().action(action).limit(1_000));
    }

    @Test
    void whatIsEncryptedIsNowhereInPlainTextAlsoNotOfRefusedRequests(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, ENCRYPTED, new Shop());
        String key = gateway.key(Scope.ADMIN);

        Response created = gateway.post("/_api/crons", cron("nightly", "0 3 * * *", ""));
        Response updated = gateway.send("PUT", "/_api/crons/nightly", key, cron("nightly", "0 4 * * *", ""));
        assertThat(created.status()).as(created.body()).isEqualTo(201);
        assertThat(updated.status()).as(updated.body()).isEqualTo(200);
        List<Response> refused = List.of(
                gateway.post("/_api/crons", cron("other", "0 3 * *", "")),
                gateway.post("/_api/crons", cron("other", "0 3 * * *", ",\"" + SECRET + "\":1")),
                gateway.post("/_api/crons", "{\"name\":\"other\",\"expression\":[{\"args\":\"" + SECRET + "\"}]}"),
                gateway.post("/_api/crons", "{\"name\":{\"" + SECRET + "\":1},\"args\":\"" + SECRET + "\"}"),
                gateway.send(
                        "PUT",
                        "/_api/queues/mail/limit",
                        key,
                        "{\"max_running\":{\"args\":\"" + SECRET + "\"},\"" + SECRET + "\":2}"));
        assertThat(refused)
                .allSatisfy(
                        answer -> assertThat(answer.status()).as(answer.body()).isEqualTo(400));

        assertThat(everyRow(cluster)).contains("crons.create", "crons.update").doesNotContain(SECRET);
        assertThat(entries(cluster, "crons.update"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.details())
                        .contains("nightly", "0 4 * * *", "\"options.queue\":\"mail\"", "greet"));
        assertThat(entries(cluster, "crons.create"))
                .filteredOn(entry -> !entry.outcome().orElse("").equals("done"))
                .hasSize(4)
                .allSatisfy(entry -> assertThat(entry.outcome()).contains("refused: invalid_request"));
    }

    /** Whoever adds a route names what is kept of its body; args never are. */
    @Test
    void noRouteKeepsArgs() {
        assertThat(Routes.all())
                .allSatisfy(route -> assertThat(route.auditedMembers())
                        .as(route.toString())
                        .noneMatch(member -> List.of("args", "input", "inputs", "payload", "jobs", "tasks")
                                .contains(member.replaceAll(".*\\.", ""))));
        assertThat(Routes.all())
                .filteredOn(route ->
                        route.path().endsWith("/cancel") && route.request().isPresent())
                .extracting(Route::auditedMembers)
                .contains(List.of("reason"));
    }

    @Test
    void fewRefusedActionsOfACallerAreKept(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.ADMIN).tenant("a")).key();
        String writer = gateway.key(Scope.WRITE);
        JobId own = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("greet", Map.of()).queue("elsewhere").metadata("tenant", "a"));

        for (int i = 0; i < RefusedActions.MOST + 20; i++) {
            Response refused = gateway.send("POST", "/_api/jobs/anything-" + i + "/cancel", tenant, null);
            assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        }
        assertThat(entries(cluster, "jobs.cancel")).hasSize(RefusedActions.MOST);

        assertThat(gateway.send("POST", "/_api/jobs/" + own + "/cancel", tenant, null)
                        .status())
                .isEqualTo(200);
        assertThat(entries(cluster, "jobs.cancel"))
                .as("what is done is kept")
                .hasSize(RefusedActions.MOST + 1)
                .first()
                .satisfies(entry -> assertThat(entry.outcome()).contains("done"));

        for (int i = 0; i < RefusedActions.MOST + 5; i++) {
            gateway.send("POST", "/_api/jobs/anything-" + i + "/reprioritise", writer, "{\"priority\":\"low\"}");
        }
        assertThat(entries(cluster, "jobs.reprioritise"))
                .as("who may not administer the cluster is no operator, with or without a tenant")
                .hasSize(RefusedActions.MOST);

        for (int i = 0; i < RefusedActions.MOST + 5; i++) {
            gateway.post("/_api/jobs/anything-" + i + "/retry", null);
        }
        assertThat(entries(cluster, "jobs.retry"))
                .as("those of operators are all kept")
                .hasSize(RefusedActions.MOST + 5);

        cluster.clock().advance(Duration.ofMinutes(2));
        gateway.send("POST", "/_api/jobs/anything/cancel", tenant, null);
        assertThat(entries(cluster, "jobs.cancel"))
                .as("another minute has begun")
                .hasSize(RefusedActions.MOST + 2);
    }
}
