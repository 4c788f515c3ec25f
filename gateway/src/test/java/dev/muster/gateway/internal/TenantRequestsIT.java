package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchRequest;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.TenantView.Whose;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A tenant sends each part of a request, and what becomes of it has to be what {@link TenantView} says: it is taken as it is (own), only as
 * far as the cluster has opened it to tenants (shared), or never (hidden). Another tenant that then sends the same reaches nothing of the first.
 */
@MusterTest
class TenantRequestsIT {
    private static final String EVERY_OPTION =
            "queue,placement,priority,max_attempts,max_crashes,timeout,concurrency_key";

    static final class Shop {
        @Job(value = "send_mail", tenants = true)
        void mail(String to) {}

        @Job("delete_customer")
        void delete(String customer) {}

        @Query(roles = "clerk")
        String books() {
            return "";
        }

        @Query
        String hello() {
            return "hello";
        }
    }

    private record Request(
            String method, String path, @Nullable String body, String... headers) {}

    /** @param closed of a part that others use too: what is not open to tenants unless the settings say so */
    private record Sample(Request closed, Request open) {}

    private final Map<String, Sample> samples = new TreeMap<>();
    private Cluster cluster;
    private GatewayNode strict;
    private GatewayNode generous;
    private String acme;
    private String globex;

    @Test
    void everyPartOfARequestIsWhoseTheTableSays(Cluster fresh) {
        cluster = fresh;
        // With fairness, a tenant has neither fifo nor fair_key, whatever is allowed.
        strict = GatewayNode.start(fresh, Map.of("tenants.fairness", "false"), new Shop());
        generous = GatewayNode.start(
                fresh, Map.of("tenants.fairness", "false", "tenants.may_set", EVERY_OPTION), new Shop());
        // No job runs, so that rows change by requests alone.
        List.of("default", "other").forEach(queue -> fresh.client().queues().pause(queue));
        acme = key("acme");
        globex = key("globex");
        addSamples();

        Map<String, Whose> found = new TreeMap<>();
        samples.forEach((part, sample) -> found.put(part, whose(part, sample)));

        assertThat(found).isEqualTo(TenantView.REQUESTS);
    }

    private String key(String tenant) {
        return strict.create(KeyRequest.of(tenant, Scope.WRITE).tenant(tenant)).key();
    }

    private Whose whose(String part, Sample sample) {
        if (isTaken(part, strict, sample.closed())) {
            assertReachesNothingOfAcme(part, strict, sample.closed());
            return Whose.OWN;
        }
        if (isTaken(part, generous, sample.open())) {
            assertReachesNothingOfAcme(part, generous, sample.open());
            return Whose.SHARED;
        }
        return Whose.HIDDEN;
    }

    private boolean isTaken(String part, GatewayNode gateway, Request request) {
        List<String> before = rowsOfAcme();
        Response answer = send(gateway, acme, request);
        assertThat(answer.status()).as("%s: %s", part, answer.body()).isIn(200, 201, 403, 404);
        if (answer.status() >= 400) {
            assertThat(rowsOfAcme()).as(part + " was refused").isEqualTo(before);
        }
        if (part.startsWith("JobRequest.")) {
            Response many =
                    send(gateway, acme, new Request("POST", "/_api/jobs/many", "{\"jobs\":[" + request.body() + "]}"));
            assertThat(many.status() < 400)
                    .as("%s of many jobs: %s", part, many.body())
                    .isEqualTo(answer.status() < 400);
        }
        return answer.status() < 400;
    }

    private void assertReachesNothingOfAcme(String part, GatewayNode gateway, Request request) {
        List<String> before = rowsOfAcme();
        Response answer = send(gateway, globex, request);

        assertThat(rowsOfAcme()).as(part + " of another tenant").isEqualTo(before);
        if (request.path().equals("/_api/jobs") && request.method().equals("POST")) {
            assertThat(answer.status())
                    .as("%s of another tenant finds no job of the first: %s", part, answer.body())
                    .isIn(201, 404);
        }
        if (answer.status() < 400) {
            assertThat(answer.body())
                    .as(part)
                    .doesNotContain(cluster.database()
                            .column("SELECT id::text FROM muster_jobs WHERE metadata ->> 'tenant' = 'acme'"));
        }
    }

    private List<String> rowsOfAcme() {
        return cluster.database()
                .column("SELECT j::text FROM muster_jobs j WHERE metadata ->> 'tenant' = 'acme' ORDER BY id");
    }

    private static Response send(GatewayNode gateway, String key, Request request) {
        return gateway.send(request.method(), request.path(), key, request.body(), request.headers());
    }

    private void addSamples() {
        BatchRequest batch = BatchRequest.of("imports");
        cluster.client().batches().create(batch);
        JobId job = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("send_mail", "ada")
                        .tenant("acme")
                        .batch(batch.id())
                        .key("order-17")
                        .tags("a")
                        .metadata("customer", "42"));
        String parent = "[\"" + job + "\"]";
        Map<String, String> members = Map.ofEntries(
                Map.entry("id", "\"" + JobId.next() + "\""),
                Map.entry("queue", "\"other\""),
                Map.entry("capability", "\"gpu\""),
                Map.entry("placement", "{\"nodes\":[\"node-1\"]}"),
                Map.entry("priority", "\"critical\""),
                Map.entry("delay", "\"1h\""),
                Map.entry("at", "\"2099-01-01T00:00:00Z\""),
                Map.entry("key", "\"order-18\""),
                Map.entry("tags", "[\"a\"]"),
                Map.entry("metadata", "{\"a\":\"b\"}"),
                Map.entry("max_attempts", "1000"),
                Map.entry("max_crashes", "1000"),
                Map.entry("timeout", "\"365d\""),
                Map.entry("expires_at", "\"2099-01-01T00:00:00Z\""),
                Map.entry("expires_in", "\"1h\""),
                Map.entry("depends_on", parent),
                Map.entry("depends_on_any_outcome", parent),
                Map.entry("batch", "\"" + batch.id() + "\""),
                Map.entry("concurrency_key", "\"a\""),
                Map.entry("fair_key", "\"a\""),
                Map.entry("fifo", "\"a\""),
                Map.entry("trace", "\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\""),
                Map.entry("declared", "true"));
        String send = "{\"name\":\"send_mail\",\"args\":\"ada\"";
        members.forEach(
                (member, json) -> add("JobRequest." + member, enqueue(send + ",\"" + member + "\":" + json + "}")));
        add("JobRequest.args", enqueue(send + "}"));
        samples.put(
                "JobRequest.name",
                new Sample(enqueue(send.replace("send_mail", "delete_customer") + "}"), enqueue(send + "}")));
        for (String member : Set.of("require", "forbid", "nodes", "not_nodes")) {
            add("Placement." + member, enqueue(send + ",\"placement\":{\"" + member + "\":[\"a\"]}}"));
        }
        add("header Idempotency-Key", new Request("POST", "/_api/jobs", send + "}", "Idempotency-Key", "order-19"));
        add("POST:/_api/jobs/many.jobs", new Request("POST", "/_api/jobs/many", "{\"jobs\":[" + send + "}]}"));
        for (String filter : List.of(
                "id=" + job,
                "status=pending",
                "tag=a",
                "metadata=customer%3D42",
                "key=order-17",
                "before=" + JobId.next(),
                "limit=1000",
                "batch=" + batch.id(),
                "name=send_mail",
                "queue=default")) {
            add("query " + filter.split("=")[0], get("/_api/jobs?" + filter));
        }
        add("query metadata.*", get("/_api/jobs?metadata.customer=42"));
        add("query after", get("/_api/jobs/" + job + "/logs?after=0"));
        add("path id", get("/_api/jobs/" + job));
        samples.put(
                "path function",
                new Sample(new Request("POST", "/_api/rpc/books", null), new Request("POST", "/_api/rpc/hello", null)));
        String change = "/_api/jobs/" + job;
        add("POST:/_api/jobs/{id}/reschedule.delay", new Request("POST", change + "/reschedule", "{\"delay\":\"1h\"}"));
        add(
                "POST:/_api/jobs/{id}/reschedule.at",
                new Request("POST", change + "/reschedule", "{\"at\":\"2099-01-01T00:00:00Z\"}"));
        add(
                "POST:/_api/jobs/{id}/reprioritise.priority",
                new Request("POST", change + "/reprioritise", "{\"priority\":\"critical\"}"));
        JobId cancelled = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("send_mail", "ada").tenant("acme"));
        cluster.client().jobs().cancel(cancelled);
        add(
                "query with_dependents",
                new Request("POST", "/_api/jobs/" + cancelled + "/retry?with_dependents=true", null));
    }

    private void add(String part, Request request) {
        samples.put(part, new Sample(request, request));
    }

    private static Request enqueue(String job) {
        return new Request("POST", "/_api/jobs", job);
    }

    private static Request get(String path) {
        return new Request("GET", path, null);
    }
}
