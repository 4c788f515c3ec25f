package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchRequest;
import dev.muster.document.internal.Json;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Kind;
import dev.muster.gateway.internal.route.Route.Method;
import dev.muster.gateway.internal.route.Route.Tenants;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.job.BatchId;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.schedule.Cron;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Two tenants and the cluster use everything. What each of them may see is a model of a few groups: its own jobs. Every answer of every route
 * to each tenant is compared with it, and searched for the markers and ids that stand in everything of the others; and what belongs to
 * others is the same after everything that a tenant has tried.
 */
@MusterTest
class TwoTenantsIT {
    private static final String ALPHA = "markalpha";
    private static final String BETA = "markbeta";
    private static final String CLUSTER = "markgamma";

    static final class Everything {
        @Job(value = "greet", tenants = true)
        String greet(JobContext ctx, String name) {
            ctx.log().info("greeting {}", name);
            ctx.progress(50, "half of " + name);
            return "hello " + name;
        }

        @Job(value = "break", tenants = true)
        void fail(String name) {
            throw new IllegalStateException("no " + name);
        }

        @Job(value = "held", tenants = true, queue = "held")
        void held(String name) {}

        @Job(value = "ordered", tenants = true, queue = "held", ordered = true, concurrencyKey = "order")
        void ordered(Map<String, String> args) {}

        @Cron("0 3 * * *")
        void nightly() {}

        @Query
        String whose(QueryContext ctx) {
            return ctx.caller().tenant().orElse("nobody");
        }

        @Query
        String echo(String text) {
            return text;
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, String cart) {
            return wf.step("charge", String.class, ctx -> "charged " + cart);
        }
    }

    private GatewayNode gateway;
    private Cluster cluster;

    /** The ids of the jobs of each, by marker, and of everything else of the cluster. */
    private final Map<String, Set<String>> jobs = new LinkedHashMap<>();

    private final Map<String, String> keys = new LinkedHashMap<>();
    /** What else stands for a tenant and nobody else: the id of its key, and its trace. */
    private final Map<String, List<String>> signs = new LinkedHashMap<>();

    private final Set<String> idsOfCluster = new LinkedHashSet<>();
    private final List<String> wrong = new ArrayList<>();

    /** What was in the answers to each tenant. */
    private final Map<String, SeenMembers> found = new LinkedHashMap<>();

    @Test
    void aTenantSeesAndChangesItsOwnJobsAndNothingElse(Cluster fresh) {
        cluster = fresh;
        gateway = GatewayNode.start(fresh, Map.of("tenants.fairness", "false"), new Everything());
        fresh.client().queues().pause("held");
        useEverything();
        await().until(() -> fresh.database().number("SELECT count(*) FROM muster_jobs WHERE queue = 'default'") == 0);

        for (String tenant : List.of(ALPHA, BETA)) {
            List<String> others = rowsOfOthers(tenant);
            everyRoute(tenant);
            everyFilter(tenant);
            everyChange(tenant);
            assertThat(wrong).isEmpty();
            assertThat(rowsOfOthers(tenant))
                    .as("what belongs to others than " + tenant)
                    .isEqualTo(others);
            found.get(tenant).assertAsClassified();
        }
        assertThat(ids(gateway.get("/_api/jobs?limit=1000")))
                .containsAll(jobs.get(ALPHA))
                .containsAll(jobs.get(BETA))
                .containsAll(jobs.get(CLUSTER));
    }

    private void useEverything() {
        BatchRequest request = BatchRequest.of("batch-" + CLUSTER);
        cluster.client().batches().create(request);
        BatchId batch = request.id();
        idsOfCluster.add(batch.toString());
        for (String mark : List.of(ALPHA, BETA)) {
            CreatedKey created =
                    gateway.create(KeyRequest.of("key-" + mark, Scope.WRITE).tenant("tenant-" + mark));
            keys.put(mark, created.key());
            signs.put(
                    mark,
                    List.of(
                            created.info().id().toString(),
                            UUID.randomUUID().toString().replace("-", "")));
            jobs.put(mark, overHttp(mark));
            jobs.get(mark).addAll(byProgram(mark, "tenant-" + mark, batch));
        }
        jobs.put(CLUSTER, byProgram(CLUSTER, "", batch));
        // A job of the cluster that waits for one of a tenant, and the other way round.
        Jobs program = cluster.client().jobs();
        JobId held = JobId.of(jobs.get(ALPHA).iterator().next());
        jobs.get(CLUSTER)
                .add(program.enqueue(JobRequest.of("held", CLUSTER).dependsOn(held))
                        .toString());
        JobId heldByCluster = program.enqueue(JobRequest.of("held", CLUSTER));
        jobs.get(CLUSTER).add(heldByCluster.toString());
        jobs.get(ALPHA)
                .add(program.enqueue(JobRequest.of("held", ALPHA)
                                .tenant("tenant-" + ALPHA)
                                .dependsOn(heldByCluster))
                        .toString());

        Response run = gateway.post(
                "/_api/workflows",
                "{\"workflow_name\":\"checkout\",\"input\":\"" + CLUSTER + "\",\"key\":\"run-" + CLUSTER + "\"}");
        cluster.client().workflows().await(JobId.of(run.text("id")), Duration.ofMinutes(2));
        Response graph = gateway.post(
                "/_api/graphs",
                "{\"name\":\"graph-" + CLUSTER + "\",\"tasks\":[{\"id\":\"" + CLUSTER
                        + "\",\"name\":\"held\",\"inputs\":\"" + CLUSTER + "\"}]}");
        assertThat(graph.status()).as(graph.body()).isEqualTo(201);
        Response cron = gateway.post(
                "/_api/crons",
                "{\"name\":\"cron-" + CLUSTER + "\",\"expression\":\"0 4 * * *\",\"job\":\"greet\",\"args\":\""
                        + CLUSTER + "\"}");
        assertThat(cron.status()).as(cron.body()).isEqualTo(201);
        cluster.client().locks().tryAcquire("lock-" + CLUSTER, Duration.ofHours(1));
        idsOfCluster.addAll(List.of(run.text("id"), graph.text("id"), gateway.node.id()));
    }

    /** What a tenant can ask for itself. The first one is held. */
    private Set<String> overHttp(String mark) {
        Set<String> ids = new LinkedHashSet<>();
        String key = keys.get(mark);
        String trace = "00-" + signs.get(mark).get(1) + "-b7ad6b7169203331-01";
        String held =
                enqueued(key, "held", mark, ",\"key\":\"order-17\",\"timeout\":\"1m\",\"trace\":\"" + trace + "\"");
        ids.add(held);
        ids.add(enqueued(key, "held", mark, ",\"key\":\"key-" + mark + "\",\"delay\":\"1d\",\"priority\":\"low\""));
        ids.add(enqueued(key, "held", mark, ",\"fifo\":\"f-17\""));
        ids.add(enqueued(key, "held", mark, ",\"fifo\":\"f-17\""));
        ids.add(enqueued(key, "held", mark, ",\"fair_key\":\"f-17\""));
        ids.add(enqueued(key, "held", mark, ",\"depends_on\":[\"" + held + "\"]"));
        ids.add(enqueued(key, "greet", mark, ",\"key\":\"order-17\",\"expires_in\":\"1d\""));
        String broken = enqueued(key, "break", mark, ",\"max_attempts\":1");
        ids.add(broken);
        ids.add(enqueued(key, "greet", mark, ",\"depends_on\":[\"" + broken + "\"]"));
        Response many = gateway.send(
                "POST",
                "/_api/jobs/many",
                key,
                "{\"jobs\":[{\"name\":\"ordered\",\"args\":{\"order\":\"17\",\"x\":\"" + mark
                        + "\"}},{\"name\":\"greet\",\"args\":\"" + mark + "\",\"key\":\"order-17\"}]}");
        assertThat(many.status()).as(many.body()).isEqualTo(409);
        many = gateway.send(
                "POST",
                "/_api/jobs/many",
                key,
                "{\"jobs\":[{\"name\":\"ordered\",\"args\":{\"order\":\"17\",\"x\":\"" + mark + "\"}}]}");
        assertThat(many.status()).as(many.body()).isEqualTo(201);
        ids.add(many.text("jobs", 0, "id"));
        return ids;
    }

    private String enqueued(String key, String name, String mark, String more) {
        Response answer = gateway.send(
                "POST",
                "/_api/jobs",
                key,
                "{\"name\":\"" + name + "\",\"args\":\"arg-" + mark + "\",\"tags\":[\"tag-" + mark
                        + "\",\"common\"],\"metadata\":{\"customer\":\"meta-" + mark + "\"}" + more + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        return answer.text("id");
    }

    /** What the application does for a tenant, or for itself. */
    private Set<String> byProgram(String mark, String tenant, BatchId batch) {
        Set<String> ids = new LinkedHashSet<>();
        Jobs program = cluster.client().jobs();
        for (JobRequest request : List.of(
                JobRequest.of("held", mark).batch(batch),
                JobRequest.of("held", mark).onNodes(gateway.node.id()),
                JobRequest.of("held", mark).capability("gpu"),
                JobRequest.of("held", mark).concurrencyKey("k-17"),
                JobRequest.of("held", mark).fifo("f-17"),
                JobRequest.of("held", mark).key("order-18").tags("common", "tag-" + mark),
                JobRequest.of("greet", mark).metadata("customer", "meta-" + mark))) {
            ids.add(program.enqueue(tenant.isEmpty() ? request : request.tenant(tenant))
                    .toString());
        }
        return ids;
    }

    /** Every route, with the ids of everything. */
    private void everyRoute(String tenant) {
        String other = tenant.equals(ALPHA) ? BETA : ALPHA;
        List<String> targets = new ArrayList<>(idsOfCluster);
        targets.remove(gateway.node.id());
        targets.addAll(jobs.get(other));
        targets.addAll(jobs.get(CLUSTER));
        for (Route route : Routes.all()) {
            if (route.kind() != Kind.GUARDED) {
                continue;
            }
            boolean ofJob = route.path().startsWith("/_api/jobs/{id}");
            for (String target : ofJob ? targets : targets.subList(0, 1)) {
                Response answer = send(route, path(route, target), tenant);
                if (route.tenants() == Tenants.REFUSED) {
                    expect(answer.status() == 403, route + " answered " + answer.status());
                } else if (ofJob) {
                    expect(answer.status() == 404, route + " of another answered " + answer.status());
                }
            }
            for (String own : jobs.get(tenant)) {
                if (ofJob && route.method() == Method.GET) {
                    Response answer = send(route, path(route, own), tenant);
                    expect(answer.status() == 200, route + " answered " + answer.status() + ": " + answer.body());
                }
            }
        }
        Response whose = gateway.send("POST", "/_api/rpc/whose", keys.get(tenant), null);
        expect(("tenant-" + tenant).equals(whose.text("data")), whose.body());
    }

    private static String path(Route route, String id) {
        return route.path().replace("{function}", "whose").replaceAll("\\{[a-z]+}", id);
    }

    private Response send(Route route, String path, String tenant) {
        String body = route.request().isEmpty() || route.path().contains("/rpc/")
                ? null
                : path.endsWith("/reschedule")
                        ? "{\"delay\":\"1s\"}"
                        : path.endsWith("/reprioritise") ? "{\"priority\":\"low\"}" : "{}";
        Response answer = gateway.send(route.method().name(), path, keys.get(tenant), body);
        check(route, answer, tenant);
        return answer;
    }

    /** Searches an answer for what belongs to others, and for what tenants do not get. */
    private void check(Route route, Response answer, String tenant) {
        String text = answer.http().headers().map() + " " + answer.body();
        List<String> forbidden = new ArrayList<>(idsOfCluster);
        for (String mark : List.of(ALPHA, BETA, CLUSTER)) {
            if (!mark.equals(tenant)) {
                forbidden.add(mark);
                forbidden.addAll(jobs.get(mark));
                forbidden.addAll(signs.getOrDefault(mark, List.of()));
            }
        }
        for (String one : forbidden) {
            // A refusal repeats the id that it was asked about.
            expect(
                    !text.contains(one)
                            || answer.status() >= 400
                                    && answer.http().uri().toString().contains(one),
                    route + " shows " + one + " to " + tenant + ": " + text);
        }
        if (answer.status() < 300 && route.answersJson() && route.tenants() == Tenants.CONFINED) {
            found.computeIfAbsent(tenant, one -> new SeenMembers(held -> isOf(one, held)))
                    .add(route, Json.read(answer.body()));
        }
    }

    private boolean isOf(String tenant, String text) {
        return text.contains(tenant)
                || signs.get(tenant).stream().anyMatch(text::contains)
                || jobs.get(tenant).stream().anyMatch(text::contains);
    }

    private void expect(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
        }
    }

    /** Whatever a tenant filters by, it finds its own jobs alone. */
    private void everyFilter(String tenant) {
        String other = tenant.equals(ALPHA) ? BETA : ALPHA;
        Set<String> own = jobs.get(tenant);
        List<String> listed = new ArrayList<>();
        @Nullable String next = "";
        while (next != null) {
            Response page = read("/_api/jobs", "?limit=2" + next, tenant);
            listed.addAll(ids(page));
            next = page.at("next") == null ? null : "&before=" + page.text("next");
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(own);
        assertThat(ids(read("/_api/jobs", "?key=order-17", tenant))).hasSize(2).isSubsetOf(own);
        assertThat(ids(read("/_api/jobs", "?tag=common", tenant))).isNotEmpty().isSubsetOf(own);
        List<String> nothing = List.of(
                "key=key-" + other,
                "key=@tenant-" + other + "/order-17",
                "key=tenant-" + other + "/order-17",
                "tag=tag-" + other,
                "metadata.customer=meta-" + other,
                "metadata=customer%3Dmeta-" + other,
                "id=" + jobs.get(other).iterator().next(),
                "id=" + jobs.get(CLUSTER).iterator().next());
        for (String filter : nothing) {
            assertThat(ids(read("/_api/jobs", "?" + filter, tenant))).as(filter).isEmpty();
            assertThat(counted(read("/_api/jobs/counts", "?" + filter, tenant)))
                    .as(filter)
                    .isZero();
            assertThat((List<?>)
                            read("/_api/jobs/retryable", "?" + filter, tenant).at("jobs"))
                    .as(filter)
                    .isEmpty();
        }
        for (String filter : List.of("name=held", "queue=held", "status=waiting", "status=failed", "status=pending")) {
            assertThat(ids(read("/_api/jobs", "?" + filter, tenant)))
                    .as(filter)
                    .isNotEmpty()
                    .isSubsetOf(own);
        }
        for (String before : jobs.get(other)) {
            assertThat(own).containsAll(ids(read("/_api/jobs", "?before=" + before, tenant)));
        }
        assertThat(counted(read("/_api/jobs/counts", "", tenant))).isEqualTo(own.size());
        for (String filter : List.of("metadata.tenant=tenant-", "metadata=tenant%3Dtenant-")) {
            assertThat(gateway.send("GET", "/_api/jobs?" + filter + other, keys.get(tenant), null)
                            .status())
                    .isEqualTo(403);
        }
        assertThat(gateway.get("/_api/jobs?key=order-17").at("jobs"))
                .as("the keys of tenants are not those of the cluster")
                .isEqualTo(List.of());
    }

    private Response read(String path, String query, String tenant) {
        Route route = route("GET:" + path);
        Response answer = gateway.send("GET", path + query, keys.get(tenant), null);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        check(route, answer, tenant);
        return answer;
    }

    private static Route route(String where) {
        return Routes.all().stream()
                .filter(route -> TenantView.where(route).equals(where))
                .findFirst()
                .orElseThrow();
    }

    /** Bulk changes and such by id reach own jobs alone, and their numbers count no others. */
    private void everyChange(String tenant) {
        String other = tenant.equals(ALPHA) ? BETA : ALPHA;
        Set<String> own = jobs.get(tenant);
        long failed = own.stream().filter(id -> status(id).equals("failed")).count();
        long cancelled =
                own.stream().filter(id -> status(id).equals("cancelled")).count();
        assertThat(failed).isEqualTo(1);
        assertThat(cancelled).isEqualTo(1);
        Response foreignParent = gateway.send(
                "POST",
                "/_api/jobs",
                keys.get(tenant),
                "{\"name\":\"greet\",\"args\":\"x\",\"depends_on\":[\""
                        + jobs.get(other).iterator().next() + "\"]}");
        assertThat(foreignParent.status()).isEqualTo(404);
        for (String filter : List.of("tag=tag-" + other, "metadata.customer=meta-" + other, "key=key-" + other)) {
            assertThat(changed("/_api/jobs/cancel?" + filter, tenant).text("cancelled"))
                    .isEqualTo("0");
            assertThat(changed("/_api/jobs/retry?" + filter, tenant).text("retried"))
                    .isEqualTo("0");
        }
        String broken = own.stream()
                .filter(id -> status(id).equals("failed"))
                .findFirst()
                .orElseThrow();
        cluster.client().queues().pause("default");
        assertThat(changed("/_api/jobs/" + broken + "/retry?with_dependents=true", tenant)
                        .text("retried"))
                .isEqualTo("2");
        changed("/_api/jobs/" + broken + "/reschedule", tenant, "{\"delay\":\"1h\"}");
        changed("/_api/jobs/" + broken + "/reprioritise", tenant, "{\"priority\":\"low\"}");
        long live = own.stream()
                .filter(id -> Set.of("waiting", "pending").contains(status(id)))
                .count();
        // Some of them wait for a job that is cancelled, and are cancelled with it.
        long ended =
                Long.parseLong(changed("/_api/jobs/cancel?queue=held", tenant).text("cancelled"));
        assertThat(ended).isPositive().isLessThanOrEqualTo(live);
        changed("/_api/jobs/" + broken + "/cancel", tenant);
        assertThat(own).allMatch(id -> !Set.of("pending", "waiting").contains(status(id)));
        cluster.client().queues().resume("default");
        Response many = gateway.send(
                "POST",
                "/_api/jobs/many",
                keys.get(tenant),
                "{\"jobs\":[{\"name\":\"held\",\"args\":\"" + tenant + "\"}]}");
        assertThat(many.status()).as(many.body()).isEqualTo(201);
        own.add(many.text("jobs", 0, "id"));
        check(route("POST:/_api/jobs/many"), many, tenant);
    }

    private Response changed(String path, String tenant) {
        return changed(path, tenant, null);
    }

    private Response changed(String path, String tenant, @Nullable String body) {
        Response answer = gateway.send("POST", path, keys.get(tenant), body);
        assertThat(answer.status()).as(path + ": " + answer.body()).isEqualTo(200);
        String template = path.replaceAll("\\?.*", "").replaceAll("[0-9a-f]{8}-[-0-9a-f]{27}", "{id}");
        check(route("POST:" + template), answer, tenant);
        return answer;
    }

    private String status(String id) {
        return cluster.client().jobs().find(JobId.of(id)).orElseThrow().status().text();
    }

    /** All rows of jobs but those of the tenant. A dependent of the cluster ends with the job of the tenant that it waits for. */
    private List<String> rowsOfOthers(String tenant) {
        List<String> rows = new ArrayList<>();
        for (String table : List.of("muster_jobs", "muster_job_history")) {
            rows.addAll(cluster.database()
                    .column("SELECT j::text FROM " + table + " j WHERE metadata ->> 'tenant' IS DISTINCT FROM 'tenant-"
                            + tenant + "' AND depends_on IS NULL ORDER BY id"));
        }
        return rows;
    }

    private static List<String> ids(Response page) {
        return ((List<?>) page.at("jobs"))
                .stream()
                        .map(job -> String.valueOf(((Map<?, ?>) job).get("id")))
                        .toList();
    }

    private static long counted(Response counts) {
        return ((Map<?, ?>) counts.at("counts"))
                .values().stream()
                        .mapToLong(count -> Long.parseLong(((Digits) ((Map<?, ?>) count).get("count")).text()))
                        .sum();
    }
}
