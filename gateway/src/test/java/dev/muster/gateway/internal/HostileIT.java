package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What callers with a valid key can try. */
@Order(1)
@MusterTest
class HostileIT {
    /** More than the threads that are not for requests. */
    private static final int CLIENTS = 50;

    private static final int JOBS = 100;

    /** More than an answer may have. */
    private static final int LARGE_JOBS = 20;

    /** Tenants may enqueue where nobody runs anything. */
    private static final Map<String, String> ELSEWHERE = Map.of("tenants.may_set", "queue:elsewhere");

    static final class Shop {
        @Job(value = "greet", tenants = true)
        void greet(String name) {}

        @Job(value = "fail", tenants = true)
        void fail() {
            throw new IllegalStateException("no");
        }

        /** More than the buffers between the server and a client hold. */
        @Query
        String large() {
            return "x".repeat(16 << 20);
        }
    }

    private static String enqueue(String key) {
        return "{\"name\":\"greet\",\"args\":\"Ada\",\"queue\":\"elsewhere\",\"key\":\"" + key + "\"}";
    }

    @Test
    void tenantsCannotTakeTheKeysOfEachOther(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, ELSEWHERE, new Shop());
        String one =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        String other = gateway.create(KeyRequest.of("other", Scope.WRITE).tenant("a/b"))
                .key();
        assertThat(gateway.send("POST", "/_api/jobs", one, enqueue("b/c")).status())
                .isEqualTo(201);

        Response own = gateway.send("POST", "/_api/jobs", other, enqueue("c"));

        assertThat(own.status()).as(own.body()).isEqualTo(201);
        assertThat(own.text("key")).isEqualTo("c");
        Response again = gateway.send("POST", "/_api/jobs", other, enqueue("c"));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("id")).isEqualTo(own.text("id"));
    }

    /** Whatever keys the application or another tenant has taken, a tenant's are its own. */
    @Test
    void aKeyThatOthersHoldIsFreeForATenant(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, ELSEWHERE, new Shop());
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        List<JobId> taken = new ArrayList<>();
        JobRequest same = JobRequest.of("greet", "Ada").queue("elsewhere");
        taken.add(cluster.client().jobs().enqueue(same.key("k")));
        taken.add(cluster.client().jobs().enqueue(same.key("a/k")));
        taken.add(cluster.client().jobs().enqueue(same.key("@a/k")));
        taken.add(cluster.client().jobs().enqueue(same.key("k").tenant("b")));
        taken.add(cluster.client()
                .jobs()
                .enqueue(JobRequest.of("greet", "Bob").queue("elsewhere").key("@a/k2")));
        assertThat(taken).doesNotHaveDuplicates();

        Response own = gateway.send("POST", "/_api/jobs", tenant, enqueue("k"));
        Response many = gateway.send(
                "POST", "/_api/jobs/many", tenant, "{\"jobs\":[" + enqueue("k2") + "," + enqueue("k") + "]}");

        assertThat(own.status()).as(own.body()).isEqualTo(201);
        assertThat(own.text("key")).isEqualTo("k");
        assertThat(many.status()).as(many.body()).isEqualTo(201);
        assertThat(many.at("jobs", 0, "created")).isEqualTo(true);
        assertThat(many.at("jobs", 1)).isEqualTo(Map.of("id", own.text("id"), "created", false));
        assertThat(cluster.client().jobs().enqueue(same.key("k").tenant("a")))
                .as("the application enqueues for the tenant in the same name space")
                .isEqualTo(JobId.of(own.text("id")));
        assertThat(cluster.client().jobs().list(JobQuery.all()))
                .extracting(JobInfo::id)
                .containsAll(taken)
                .hasSize(taken.size() + 2);
        Response conflict =
                gateway.send("POST", "/_api/jobs", tenant, enqueue("k").replace("Ada", "Bob"));
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.text("error", "message")).startsWith("key 'k' of job 'greet'");
    }

    @Test
    void aTenantRepeatsItsOwnKeysInOneRequest(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, ELSEWHERE, new Shop());
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        String held =
                gateway.send("POST", "/_api/jobs", tenant, enqueue("held")).text("id");
        String many = "{\"jobs\":[" + enqueue("held") + "," + enqueue("new") + "," + enqueue("new") + "]}";

        Response first = gateway.send("POST", "/_api/jobs/many", tenant, many);
        Response again = gateway.send("POST", "/_api/jobs/many", tenant, many);

        assertThat(first.status()).as(first.body()).isEqualTo(201);
        assertThat(first.at("jobs", 0)).isEqualTo(Map.of("id", held, "created", false));
        assertThat(first.at("jobs", 1, "created")).isEqualTo(true);
        assertThat(first.text("jobs", 2, "id")).isEqualTo(first.text("jobs", 1, "id"));
        assertThat(again.status()).as(again.body()).isEqualTo(201);
        assertThat(again.text("jobs", 1, "id")).isEqualTo(first.text("jobs", 1, "id"));
        assertThat(again.at("jobs", 1, "created")).isEqualTo(false);
        Response otherArgs =
                gateway.send("POST", "/_api/jobs", tenant, enqueue("held").replace("Ada", "Bob"));
        assertThat(otherArgs.status()).isEqualTo(409);
        assertThat(otherArgs.text("error", "details", "existing")).isEqualTo(held);
    }

    @Test
    void aTenantDoesNotLearnWhichNodesRunItsJobs(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.WRITE).tenant("a")).key();
        Response enqueued = gateway.send("POST", "/_api/jobs", tenant, "{\"name\":\"fail\",\"max_attempts\":2}");
        assertThat(enqueued.status()).as(enqueued.body()).isEqualTo(201);
        String job = "/_api/jobs/" + enqueued.text("id");
        cluster.awaitEnded(JobId.of(enqueued.text("id")));
        for (String table : List.of("muster_job_history", "muster_job_attempts")) {
            cluster.database()
                    .execute("UPDATE " + table + " SET error = 'node " + gateway.node.id() + " died running it'");
        }

        Response shown = gateway.get(job + "/attempts");
        Response attempts = gateway.send("GET", job + "/attempts", tenant, null);

        assertThat((List<?>) shown.at("attempts")).isNotEmpty();
        assertThat((List<?>) attempts.at("attempts")).hasSameSizeAs((List<?>) shown.at("attempts"));
        for (int i = 0; i < ((List<?>) shown.at("attempts")).size(); i++) {
            assertThat(shown.at("attempts", i, "node")).isEqualTo(gateway.node.id());
            assertThat(attempts.at("attempts", i, "node")).isNull();
            assertThat(attempts.at("attempts", i, "outcome")).isEqualTo(shown.at("attempts", i, "outcome"));
        }
        assertThat(gateway.get(job).text("node")).isEqualTo(gateway.node.id());
        assertThat(shown.text("attempts", 0, "error")).contains(gateway.node.id());
        for (String path : List.of(job, job + "/attempts", "/_api/jobs", job + "/logs")) {
            Response answer = gateway.send("GET", path, tenant, null);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).as(path).doesNotContain(gateway.node.id());
        }
        // What a completed job has in the place of an error went wrong earlier.
        cluster.database().execute("UPDATE muster_job_history SET status = 'completed'");
        assertThat(gateway.get(job).text("earlier_error")).contains(gateway.node.id());
        assertThat(gateway.send("GET", job, tenant, null).text("earlier_error")).isEqualTo("its node died running it");
    }

    @Test
    void anAnswerIsBoundedHoweverLargeTheJobsAre(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        String args = "x".repeat(1_000_000);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < LARGE_JOBS; i++) {
            JobRequest request = JobRequest.of("greet", args).queue("elsewhere").metadata("tenant", "a");
            all.add(0, cluster.client().jobs().enqueue(request).toString());
        }
        String tenant =
                gateway.create(KeyRequest.of("one", Scope.READ).tenant("a")).key();
        for (String key : List.of(gateway.key(Scope.READ), tenant)) {
            List<String> listed = new ArrayList<>();
            @Nullable String before = "";
            do {
                Response page = gateway.send("GET", "/_api/jobs?limit=1000" + before, key, null);
                assertThat(page.status()).isEqualTo(200);
                assertThat(page.body().length()).isLessThan(17 << 20);
                Map<?, ?> document = (Map<?, ?>) page.at();
                for (Object job : (List<?>) document.get("jobs")) {
                    listed.add(String.valueOf(((Map<?, ?>) job).get("id")));
                }
                before = document.get("next") == null ? null : "&before=" + document.get("next");
            } while (before != null);

            assertThat(listed).isEqualTo(all);
        }
    }

    @Test
    void theAuditHasCancellationsOverJsonRpcToo(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        Response submitted = gateway.post(
                "/",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"x\"}]}}");
        String id = submitted.text("result", "root_task_id");
        String cancel =
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks.cancel\",\"params\":{\"task_id\":\"" + id + "\"}}";

        Response cancelled = gateway.post("/", "[" + cancel + "," + cancel + "]");

        assertThat(cancelled.text(0, "result", "status")).as(cancelled.body()).isEqualTo("cancelled");
        List<AuditEntry> entries =
                cluster.client().audit().list(AuditQuery.newest().action("graphs.cancel"));
        assertThat(entries).extracting(AuditEntry::target).containsExactly(id, id);
        assertThat(entries.get(1).outcome()).contains("done");
        assertThat(entries.get(0).outcome()).get().asString().startsWith("refused: ");
    }

    @Test
    void clientsThatDoNotReadTheirAnswersDoNotBlockProbes(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("gateway.max_requests", "2", "gateway.read_timeout", "5m"), new Shop());
        byte[] request = ("POST /_api/rpc/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                        + gateway.key(Scope.READ) + "\r\nContent-Length: 0\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
        List<Socket> clients = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                Socket client = RawHttp.deaf(gateway.port());
                clients.add(client);
                client.getOutputStream().write(request);
                answers.add(firstLine(client));
            }
            HttpRequest probe = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/_api/ready"))
                    .timeout(GatewayNode.PATIENCE)
                    .build();

            assertThat(HttpClient.newHttpClient()
                            .send(probe, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(answers.subList(0, 2)).allMatch(line -> line.contains(" 200"));
            assertThat(answers.subList(2, CLIENTS)).allMatch(line -> line.contains(" 503"));
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void pagesHaveEachJobOnceAlthoughJobsEndMeanwhile(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        List<String> all = cluster
                .client()
                .jobs()
                .submitAll(IntStream.range(0, JOBS)
                        .mapToObj(i -> JobRequest.of("greet", "Ada"))
                        .toList())
                .stream()
                .map(enqueued -> enqueued.id().toString())
                .toList();
        List<String> listed = new ArrayList<>();
        @Nullable String before = "";
        do {
            Response page = gateway.get("/_api/jobs?limit=20" + before);
            assertThat(page.status()).as(page.body()).isEqualTo(200);
            for (Object job : (List<?>) page.at("jobs")) {
                listed.add(String.valueOf(((Map<?, ?>) job).get("id")));
            }
            if (before.isEmpty()) {
                // All of them end between the first page and the next one.
                cluster.client().queues().resume("default");
                all.forEach(id -> cluster.awaitEnded(JobId.of(id), GatewayNode.PATIENCE));
            }
            before = page.at("next") == null ? null : "&before=" + page.text("next");
        } while (before != null);

        assertThat(listed).containsExactlyInAnyOrderElementsOf(all);
    }

    private static String firstLine(Socket client) throws Exception {
        // A buffer of a few characters: the rest of the answer stays unread.
        return String.valueOf(
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8), 64)
                        .readLine());
    }
}
