package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchRequest;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueLimit;
import dev.muster.schedule.CronSpec;
import dev.muster.testing.LongTest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every route that writes, with a connection that breaks after each of its commits: what is answered with 503 was not executed, and neither
 * the caller nor the audit is told that something failed that was done.
 */
@Order(1)
@MusterTest
class LostCommitsIT {
    private static final int MOST_COMMITS = 25;
    private static final int MOST_ROUNDS = 5;
    private static final int FAILED_RUNS = 30;

    /** What routes change. Nodes are left out, because they write heartbeats. */
    private static final List<String> TABLES = List.of(
            "muster_jobs",
            "muster_job_history",
            "muster_workflow_runs",
            "muster_workflow_events",
            "muster_workflow_pauses",
            "muster_graphs",
            "muster_graph_tasks",
            "muster_batches",
            "muster_batch_jobs",
            "muster_queues",
            "muster_crons",
            "muster_daemons",
            "muster_api_keys");

    /** Their functions have transactions of their own, which FunctionsIT breaks. */
    private static final List<String> OTHERS = List.of("POST /_api/rpc/{function}");

    static final class Shop {
        @Job("greet")
        void greet(String name) {}

        @Workflow(name = "order", version = "v1")
        void order(WorkflowContext wf, String article) {}

        @Workflow(name = "broken", version = "v1")
        void broken(WorkflowContext wf) {
            throw new IllegalStateException("no");
        }
    }

    /** A request, whose path has what it is about. */
    private record Sent(String path, @Nullable String body) {}

    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<String, Supplier<Sent>> cases = new TreeMap<>();
    private final Deque<JobId> failedRuns = new ArrayDeque<>();

    private String fresh() {
        return "thing-" + numbers.incrementAndGet();
    }

    private static JobRequest job() {
        return JobRequest.of("greet", "Ada");
    }

    private static GraphRequest graph() {
        return GraphRequest.of(TaskRequest.of("a", "greet", "Ada"));
    }

    private void with(String route, Supplier<Sent> request) {
        cases.put(route, request);
    }

    private static Sent sent(String path) {
        return new Sent(path, null);
    }

    private void jobs(Muster client) {
        String greet = "{\"name\":\"greet\",\"args\":\"Ada\"}";
        with("POST /_api/jobs", () -> new Sent("/_api/jobs", greet));
        with("POST /_api/jobs/many", () -> new Sent("/_api/jobs/many", "{\"jobs\":[" + greet + "," + greet + "]}"));
        with(
                "POST /_api/jobs/{id}/cancel",
                () -> sent("/_api/jobs/" + client.jobs().enqueue(job()) + "/cancel"));
        with("POST /_api/jobs/{id}/retry", () -> sent("/_api/jobs/" + cancelled(client, fresh()) + "/retry"));
        with(
                "POST /_api/jobs/{id}/reschedule",
                () -> new Sent("/_api/jobs/" + client.jobs().enqueue(job()) + "/reschedule", "{\"delay\":\"1h\"}"));
        with(
                "POST /_api/jobs/{id}/reprioritise",
                () -> new Sent(
                        "/_api/jobs/" + client.jobs().enqueue(job()) + "/reprioritise", "{\"priority\":\"high\"}"));
        with("POST /_api/jobs/cancel", () -> {
            String tag = fresh();
            client.jobs().enqueue(job().tags(tag));
            return sent("/_api/jobs/cancel?tag=" + tag);
        });
        with("POST /_api/jobs/retry", () -> {
            String tag = fresh();
            cancelled(client, tag);
            return sent("/_api/jobs/retry?status=cancelled&tag=" + tag);
        });
    }

    private static JobId cancelled(Muster client, String tag) {
        JobId id = client.jobs().enqueue(job().tags(tag));
        client.jobs().cancel(id);
        return id;
    }

    private void runs(Muster client) {
        Supplier<String> run = () -> "/_api/workflows/" + client.workflows().start("order", "x");
        String order = "/_api/workflows/definitions/order";
        with(
                "POST /_api/workflows",
                () -> new Sent("/_api/workflows", "{\"workflow_name\":\"order\",\"input\":\"x\"}"));
        with("POST /_api/workflows/{id}/signal", () -> new Sent(run.get() + "/signal", "{\"event\":\"paid\"}"));
        with("POST /_api/workflows/{id}/cancel", () -> new Sent(run.get() + "/cancel", "{\"reason\":\"no\"}"));
        with("POST /_api/workflows/{id}/retry", () -> sent("/_api/workflows/" + failedRuns.remove() + "/retry"));
        with("POST /_api/workflows/definitions/{name}/pause", () -> {
            client.workflows().resume("order");
            return sent(order + "/pause");
        });
        with("POST /_api/workflows/definitions/{name}/resume", () -> {
            client.workflows().pause("order");
            return sent(order + "/resume");
        });
        with("POST /_api/workflows/definitions/{name}/{version}/retire", () -> {
            client.workflows().start("order", "x");
            return new Sent(order + "/v1/retire", "{\"reason\":\"gone\"}");
        });
    }

    private void graphs(Muster client) {
        Supplier<String> live = () -> "/_api/graphs/" + client.graphs().submit(graph());
        Supplier<String> ended = () -> {
            GraphId id = client.graphs().submit(graph());
            client.graphs().cancel(id, "no");
            return "/_api/graphs/" + id;
        };
        String tasks = "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"Ada\"}]}";
        with("POST /_api/graphs", () -> new Sent("/_api/graphs", tasks));
        with("POST /_api/graphs/{id}/cancel", () -> sent(live.get() + "/cancel"));
        with("POST /_api/graphs/{id}/retry", () -> sent(ended.get() + "/retry"));
        with("POST /_api/graphs/{id}/tasks/{task}/cancel", () -> sent(live.get() + "/tasks/a/cancel"));
        with("POST /_api/graphs/{id}/tasks/{task}/retry", () -> sent(ended.get() + "/tasks/a/retry"));
        with("POST / tasks.execute", () -> rpc("tasks.execute", tasks));
        with(
                "POST / tasks.cancel",
                () -> rpc("tasks.cancel", "{\"task_id\":\"" + client.graphs().submit(graph()) + "\"}"));
    }

    private static Sent rpc(String method, String params) {
        return new Sent("/", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private void batches(Muster client) {
        with(
                "POST /_api/batches",
                () -> new Sent("/_api/batches", "{\"name\":\"all\",\"jobs\":[{\"name\":\"greet\",\"args\":\"Ada\"}]}"));
        with(
                "POST /_api/batches/{id}/seal",
                () -> sent("/_api/batches/" + client.batches().create(BatchRequest.of("all")) + "/seal"));
        with(
                "POST /_api/batches/{id}/cancel",
                () -> sent("/_api/batches/" + client.batches().create(BatchRequest.of("all")) + "/cancel"));
    }

    private void crons(Muster client) {
        Supplier<String> cron = () ->
                client.crons().create(CronSpec.of(fresh(), "0 0 * * *", job())).name();
        with("POST /_api/crons", () -> new Sent("/_api/crons", cron(fresh())));
        with("PUT /_api/crons/{name}", () -> {
            String name = cron.get();
            return new Sent("/_api/crons/" + name, cron(name));
        });
        with("DELETE /_api/crons/{name}", () -> sent("/_api/crons/" + cron.get()));
        with("POST /_api/crons/{name}/pause", () -> sent("/_api/crons/" + cron.get() + "/pause"));
        with("POST /_api/crons/{name}/resume", () -> {
            String name = cron.get();
            client.crons().pause(name);
            return sent("/_api/crons/" + name + "/resume");
        });
        with("POST /_api/crons/{name}/trigger", () -> sent("/_api/crons/" + cron.get() + "/trigger"));
    }

    private static String cron(String name) {
        return "{\"name\":\"" + name + "\",\"expression\":\"0 6 * * *\",\"job\":\"greet\",\"args\":\"Ada\"}";
    }

    private void cluster(Cluster cluster) {
        Muster client = cluster.client();
        with("POST /_api/queues/{name}/pause", () -> sent("/_api/queues/" + fresh() + "/pause"));
        with("POST /_api/queues/{name}/resume", () -> {
            String queue = fresh();
            client.queues().pause(queue);
            return sent("/_api/queues/" + queue + "/resume");
        });
        with(
                "PUT /_api/queues/{name}/limit",
                () -> new Sent("/_api/queues/" + fresh() + "/limit", "{\"max_running\":3}"));
        with("DELETE /_api/queues/{name}/limit", () -> {
            String queue = fresh();
            client.queues().limit(queue, QueueLimit.maxRunning(3));
            return sent("/_api/queues/" + queue + "/limit");
        });
        with("POST /_api/daemons/{name}/reset", () -> {
            String daemon = fresh();
            cluster.database()
                    .execute("INSERT INTO muster_daemons (name, status, failed_at) VALUES ('" + daemon
                            + "', 'failed', now())");
            return sent("/_api/daemons/" + daemon + "/reset");
        });
        with("POST /_api/nodes/{id}/drain", () -> {
            Node node = cluster.node(Map.of("node.roles", "function"));
            return sent("/_api/nodes/" + node.id() + "/drain");
        });
        Supplier<String> key = () -> client.apiKeys()
                .create(KeyRequest.of(fresh(), Scope.READ))
                .info()
                .id();
        with("POST /_api/keys", () -> new Sent("/_api/keys", "{\"name\":\"" + fresh() + "\",\"scope\":\"read\"}"));
        with("DELETE /_api/keys/{id}", () -> sent("/_api/keys/" + key.get()));
        with("POST /_api/keys/{id}/rotate", () -> sent("/_api/keys/" + key.get() + "/rotate"));
    }

    private void fillCases(Cluster cluster) {
        jobs(cluster.client());
        runs(cluster.client());
        graphs(cluster.client());
        batches(cluster.client());
        crons(cluster.client());
        cluster(cluster);
    }

    /** Runs that have failed, when there is still a node that runs them. */
    private void failRuns(Cluster cluster) {
        Node worker = cluster.node();
        for (int i = 0; i < FAILED_RUNS; i++) {
            failedRuns.add(cluster.client().workflows().start("broken", null));
        }
        failedRuns.forEach(run -> await().until(() ->
                cluster.client().workflows().find(run).orElseThrow().status() == RunStatus.FAILED));
        worker.close();
    }

    private static String state(Cluster cluster) {
        return String.join(
                " ",
                cluster.database()
                        .column(TABLES.stream()
                                .map(table -> "SELECT md5(coalesce(string_agg(one, ' ' ORDER BY one), '')) FROM (SELECT"
                                        + " (to_jsonb(t) - 'last_used_at')::text AS one FROM " + table + " t) all_rows")
                                .collect(Collectors.joining(" UNION ALL "))));
    }

    /** The error of an answer over REST or JSON-RPC; empty if it has succeeded. */
    private static Optional<Map<?, ?>> error(Response answer) {
        Object body = answer.body().isBlank() ? Map.of() : answer.at();
        Object error = body instanceof Map<?, ?> object ? object.get("error") : null;
        if (!(error instanceof Map<?, ?> found)) {
            return Optional.empty();
        }
        return Optional.of(found.get("data") instanceof Map<?, ?> rpc ? rpc : found);
    }

    /** The database comes back for every second route, and stays away for the others. */
    @Test
    void noAnswerSaysThatNothingWasDoneWhenSomethingWas(Cluster cluster) {
        AtomicBoolean staysAway = new AtomicBoolean();
        breakEveryRoute(cluster, () -> staysAway.getAndSet(!staysAway.get()));
    }

    @LongTest(
            twin = LostCommitsIT.class,
            test = "noAnswerSaysThatNothingWasDoneWhenSomethingWas",
            why = "every route in both ways")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noAnswerOfAnyRouteSaysThatNothingWasDoneWhenSomethingWas(boolean staysAway, Cluster cluster) {
        breakEveryRoute(cluster, () -> staysAway);
    }

    /** @param staysAway asked once for each route: whether the database stays away after it has broken the connection */
    private void breakEveryRoute(Cluster cluster, BooleanSupplier staysAway) {
        cluster.register(new Shop());
        cluster.client().migrate();
        failRuns(cluster);
        fillCases(cluster);
        assertThat(cases.keySet().stream().map(name -> name.replaceAll(" tasks\\..*", "")))
                .as("every route that writes")
                .containsAll(Routes.all().stream()
                        .filter(route -> route.method() != Route.Method.GET)
                        .map(Route::toString)
                        .filter(route -> !OTHERS.contains(route))
                        .toList());
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("operator", Scope.ADMIN))
                .key();
        BreakingDataSource source = new BreakingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("node.roles", "gateway")
                .set("gateway.port", "0")
                .register(new Shop())
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            SoftAssertions softly = new SoftAssertions();
            cases.forEach((route, request) -> {
                boolean forGood = staysAway.getAsBoolean();
                breakAtEachCommit(softly, cluster, gateway, source, key, route, request, forGood);
            });
            softly.assertAll();
            assertThat(source.sawKeyLookup()).isTrue();
        }
    }

    private static void breakAtEachCommit(
            SoftAssertions softly,
            Cluster cluster,
            GatewayNode gateway,
            BreakingDataSource source,
            String key,
            String route,
            Supplier<Sent> request,
            boolean forGood) {
        List<Boolean> changed = new ArrayList<>();
        int rounds = 0;
        for (int commit = 1; commit <= MOST_COMMITS; commit++) {
            Sent sent = request.get();
            String before = state(cluster);
            source.breakAt(commit, forGood);
            Response answer = gateway.exchange(route.split(" ", 2)[0], sent.path(), key, sent.body());
            if (!source.heal()) {
                softly.assertThat(answer.status())
                        .as(route + ": " + answer.body())
                        .isBetween(200, 299);
                boolean hasBroken = route.contains("/nodes/") || changed.contains(true) || commit == 1;
                if (!hasBroken && ++rounds < MOST_ROUNDS) {
                    // What a node remembers for some seconds makes some requests shorter: this one ended before its
                    // turn.
                    commit = 0;
                    continue;
                }
                softly.assertThat(hasBroken)
                        .as(route + " changes something before it breaks")
                        .isTrue();
                return;
            }
            boolean isChanged = !state(cluster).equals(before);
            changed.add(isChanged);
            assertTruthful(
                    softly,
                    route + ", commit " + commit + (forGood ? " of the last connection" : ""),
                    answer,
                    isChanged);
            assertAudited(softly, cluster, answer);
        }
        softly.fail(route + " has more commits than expected");
    }

    private static void assertTruthful(SoftAssertions softly, String what, Response answer, boolean isChanged) {
        String as = what + ": " + answer.status() + " " + answer.body();
        Optional<Map<?, ?>> error = error(answer);
        if (error.isEmpty()) {
            softly.assertThat(answer.status()).as(as).isBetween(200, 299);
            return;
        }
        Object code = error.get().get("code");
        softly.assertThat(code).as(as).isIn("database_unavailable", "outcome_unknown");
        boolean mayBeRepeated = error.get().get("retry_after_secs") != null;
        softly.assertThat(mayBeRepeated).as(as).isEqualTo("database_unavailable".equals(code));
        softly.assertThat(!answer.header("Retry-After").isEmpty() && isChanged)
                .as(as)
                .isFalse();
        softly.assertThat(mayBeRepeated && isChanged)
                .as(as + ", and yet it was executed")
                .isFalse();
    }

    /** An entry without an outcome says by itself that nobody knows. */
    private static void assertAudited(SoftAssertions softly, Cluster cluster, Response answer) {
        String request = answer.header("X-Request-Id");
        List<AuditEntry> entries =
                cluster.client().audit().list(AuditQuery.newest().limit(1));
        if (entries.isEmpty() || !entries.get(0).requestId().equals(Optional.of(request))) {
            return;
        }
        String code =
                error(answer).map(error -> String.valueOf(error.get("code"))).orElse("done");
        entries.get(0).outcome().ifPresent(outcome -> {
            String as = entries.get(0) + " of " + answer.body();
            switch (code) {
                case "done" -> softly.assertThat(outcome).as(as).isEqualTo("done");
                // A change of a key and its entry are one transaction: if there is an entry, the key was changed.
                case "outcome_unknown" ->
                    softly.assertThat(outcome)
                            .as(as)
                            .startsWith(entries.get(0).action().startsWith("keys.") ? "done" : "unknown: ");
                default -> softly.assertThat(outcome).as(as).startsWith("failed: ");
            }
        });
    }
}
