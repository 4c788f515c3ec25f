package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.spring.shop.OrderJobs;
import dev.muster.spring.shop.OrderJobs.OrderArgs;
import dev.muster.spring.shop.OrderService;
import dev.muster.spring.shop.OrderService.Refused;
import dev.muster.spring.shop.ShopApplication;
import dev.muster.testing.Periods;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with a node in it, from its start to its end. */
@ExtendWith(OutputCaptureExtension.class)
class ShopIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** What a server logs of a connection that it could not use any more. A busy machine may have other things to say. */
    private static final String[] OF_A_LOST_CONNECTION = {
        " ERROR ",
        "Servlet.service()",
        "ClientAbortException",
        "IOException",
        "IllegalStateException",
        "\tat org.apache"
    };

    private static FreshDatabase database;
    private static ConfigurableApplicationContext context;
    private static Jobs jobs;
    private static OrderService orders;

    @BeforeAll
    static void start() {
        database = FreshDatabase.empty();
        context = SpringApplication.run(ShopApplication.class, database.arguments());
        jobs = context.getBean(Jobs.class);
        orders = context.getBean(OrderService.class);
    }

    @AfterAll
    static void stop() {
        context.close();
        database.close();
    }

    private static JobInfo ended(JobId id) {
        return jobs.await(id, SOON);
    }

    private static long jobsOf(long order) {
        return database.number("SELECT (SELECT count(*) FROM muster_jobs WHERE args->>'OrderId' = '" + order + "')"
                + " + (SELECT count(*) FROM muster_job_history WHERE args->>'OrderId' = '" + order + "')");
    }

    private static String state(long order) {
        return database.text("SELECT coalesce((SELECT state FROM orders WHERE id = " + order + "), 'none')");
    }

    @Test
    void aJobRunsThroughTheProxyOfItsBean() {
        assertThat(AopUtils.isCglibProxy(context.getBean(OrderJobs.class))).isTrue();
        JobInfo job = ended(orders.place(1));

        assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
        assertThat(jobs.result(OrderJobs.SHIP, job))
                .contains("shipped by " + context.getBean(Muster.class).nodeId());
        assertThat(state(1)).as("written in the transaction of the handler").isEqualTo("shipped");
    }

    @Test
    void theApplicationsOwnJacksonWritesArgs() {
        ended(orders.place(2));

        assertThat(jobsOf(2))
                .as("a job whose args have the application's names")
                .isEqualTo(1);
        assertThat(context.getBean(JsonCodec.class).write(new OrderArgs(7))).isEqualTo("{\"OrderId\":7}");
    }

    @Test
    void aFailedTransactionTakesItsJobsWithIt() {
        assertThatThrownBy(() -> orders.placeAndFail(3)).isInstanceOf(Refused.class);

        assertThat(state(3)).isEqualTo("none");
        assertThat(jobsOf(3)).isZero();
    }

    @Test
    void aNewTransactionKeepsItsJobsWhenTheOuterOneFails() {
        assertThatThrownBy(() -> orders.failAfter(() -> orders.placeInNewTransaction(4)))
                .isInstanceOf(Refused.class);

        assertThat(jobsOf(4)).isEqualTo(1);
        await().atMost(SOON).until(() -> state(4).equals("shipped"));
    }

    @Test
    void aNestedTransactionTakesOnlyItsOwnJobsWithIt() {
        JobId outer = orders.enqueueAround(5, () -> orders.enqueueNestedAndFail(6));

        assertThat(ended(outer).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(jobsOf(6)).isZero();
    }

    @Test
    void aReadOnlyTransactionIsRefusedWithASentence() {
        assertThatThrownBy(() -> orders.placeReadOnly(7))
                .isInstanceOf(MusterException.class)
                .hasMessage(
                        "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside of it");
        assertThat(jobsOf(7)).isZero();
    }

    @Test
    void theOutcomeCommitsWithTheHandlersTransaction() {
        JobInfo job = ended(jobs.enqueue(OrderJobs.BILL, new OrderArgs(8)));

        assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("the first attempt was rolled back").isEqualTo(2);
        assertThat(jobs.result(OrderJobs.BILL, job)).contains("billed");
        assertThat(state(8)).isEqualTo("billed in attempt 2");
    }

    @Test
    void completingOutsideOfATransactionIsRefusedWithASentence() {
        JobInfo job = ended(jobs.enqueue(JobRequest.of("complete_outside")));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error().orElseThrow()).contains("can only be completed in a transaction", "@Transactional");
    }

    @Test
    void everyKindOfHandlerIsFound() throws Exception {
        Muster muster = context.getBean(Muster.class);
        Workflows workflows = context.getBean(Workflows.class);

        assertThat(context.getBean(OrderJobs.class).feeding().await(60, TimeUnit.SECONDS))
                .as("the daemon runs")
                .isTrue();
        assertThat(workflows
                        .await(workflows.start("checkout", new OrderArgs(9)), SOON)
                        .result())
                .contains("\"checked out 9\"");
        assertThat(muster.nodes()).singleElement().satisfies(node -> {
            assertThat(node.name()).contains("shop");
            assertThat(node.labels()).containsEntry("zone", "eu");
            assertThat(node.capabilities()).containsExactlyInAnyOrder("general", "printer");
            assertThat(node.functions()).extracting(function -> function.name()).containsExactly("is_proxied");
        });
    }

    @Test
    void noConnectionOfThePoolIsKept() throws Exception {
        ended(orders.place(10));
        OrderJobs handlers = context.getBean(OrderJobs.class);
        Workflows workflows = context.getBean(Workflows.class);
        var resting = workflows.start("rest", new OrderArgs(10));
        JobId waiting = jobs.enqueue(JobRequest.of("wait"));
        assertThat(handlers.entered().await(60, TimeUnit.SECONDS)).isTrue();
        await().until(() -> workflows.find(resting).orElseThrow().status() == RunStatus.SLEEPING);

        awaitNoConnectionInUse(context);

        handlers.released().countDown();
        assertThat(ended(waiting).status()).isEqualTo(JobStatus.COMPLETED);
    }

    /** The node uses connections for moments; if it kept one, there would never be none in use. */
    private static void awaitNoConnectionInUse(ConfigurableApplicationContext of) {
        HikariDataSource pool = (HikariDataSource) of.getBean(DataSource.class);
        await("no connection is in use").until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    @Test
    void flywayAndMusterShareTheDatabase() {
        assertThat(database.number("SELECT count(*) FROM flyway_schema_history WHERE success"))
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM muster_nodes")).isEqualTo(1);
    }

    @Test
    void actuatorShowsTheNode() throws Exception {
        assertThat(get("/actuator/health/muster"))
                .contains("\"UP\"", context.getBean(Muster.class).nodeId());
        assertThat(context.getBean(ShopApplication.EarlyProbe.class).answer())
                .as("when the web server answered and the node had not joined")
                .startsWith("503")
                .contains("\"DOWN\"", "this node has not joined the cluster yet");

        ended(orders.place(12));
        assertThat(get("/actuator/muster"))
                .contains("attention", context.getBean(Muster.class).nodeId(), "\"active\":1")
                .doesNotContain("minutes")
                .doesNotContainPattern("\":0\\b")
                .contains("\"scheduler\":");
    }

    @Test
    void theApplicationServesTheDashboardToWhomItsSecurityLetsIn() throws Exception {
        assertThat(send(ask("/ops/muster/")).statusCode()).as("nobody").isEqualTo(401);
        assertThat(send(ask("/ops/muster/", "ada")).body()).contains("<!doctype html>", "importmap");
        assertThat(send(ask("/ops/muster", "ada")).headers().firstValue("Location"))
                .hasValueSatisfying(location -> assertThat(location).endsWith("/ops/muster/"));
        assertThat(send(ask("/ops/muster/assets/api.js", "ada")).statusCode()).isEqualTo(200);
        assertThat(send(ask("/ops/muster/_api/me", "ada")).body()).contains("user:ada", "admin");
        assertThat(send(ask("/ops/muster/_api/openapi.json", "ada")).body())
                .as("generated clients find the API below the application's path")
                .contains("\"servers\":[{\"url\":\"/ops/muster\"}]");
        assertThat(send(ask("/ops/muster/_api/jobs", "eve")).statusCode())
                .as("a user without a role, and without a key")
                .isEqualTo(403);
        assertThat(send(ask("/ops/muster/_api/queues", "bob")).statusCode()).isEqualTo(200);
        assertThat(send(ask("/ops/muster/_api/metrics", "bob")).body())
                .as("with the version of Prometheus' library that Spring Boot has")
                .contains("# TYPE muster_jobs_claimed_total counter", "muster_job_run_seconds_bucket{");

        assertThat(send(pause("bob")).statusCode()).as("who may only read").isEqualTo(403);
        assertThat(send(pause("ada").header("Origin", "https://evil.example")).statusCode())
                .as("a page of another origin")
                .isEqualTo(403);
        assertThat(send(pause("ada").header("Sec-Fetch-Site", "cross-site")).statusCode())
                .isEqualTo(403);
        assertThat(database.number("SELECT count(*) FROM muster_queues WHERE paused_at IS NOT NULL"))
                .isZero();
        assertThat(send(pause("ada")).statusCode()).isEqualTo(200);
        assertThat(database.column("SELECT caller FROM muster_audit WHERE target LIKE '%idle'"))
                .contains("user:ada");
    }

    @Test
    void anApiKeyReachesTheGatewayAndNothingElse() throws Exception {
        Muster muster = context.getBean(Muster.class);
        String key =
                muster.apiKeys().create(KeyRequest.of("billing", Scope.READ)).key();
        String admin =
                muster.apiKeys().create(KeyRequest.of("ops", Scope.ADMIN)).key();

        assertThat(send(keyed("/ops/muster/_api/me", key)).body()).contains("\"key:", "\"read\"");
        assertThat(send(ask("/ops/muster/_api/queues").header("Authorization", "Bearer " + key))
                        .statusCode())
                .as("as the command line and the client show it")
                .isEqualTo(200);
        assertThat(send(keyed("/ops/muster/_api/queues/idle3/pause", key).POST(HttpRequest.BodyPublishers.noBody()))
                        .body())
                .contains("this needs the scope admin; you have read");
        assertThat(send(keyed("/ops/muster/_api/queues/idle3/pause", admin).POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(keyed("/ops/muster/_api/queues/idle3/resume", admin).POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(keyed("/ops/muster/", key)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tasks.methods\"}")))
                        .statusCode())
                .as("JSON-RPC")
                .isEqualTo(200);

        HttpResponse<String> wrong = send(keyed("/ops/muster/_api/me", "mk_wrong"));
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.body()).as("the gateway's own words").contains("the key or token is wrong");
        assertThat(send(ask("/ops/muster/_api/me")).statusCode()).as("nobody").isEqualTo(401);
        assertThat(send(ask("/ops/muster/_api/me").header("X-API-Key", " ")).statusCode())
                .isEqualTo(401);
        assertThat(send(keyed("/ops/muster/", admin)).statusCode())
                .as("the page is for users with a login")
                .isEqualTo(401);
        assertThat(send(keyed("/ops/other", admin)).statusCode())
                .as("no key opens what is not the gateway's")
                .isEqualTo(401);
        assertThat(send(keyed("/ops/other/_api/me", admin)).statusCode()).isEqualTo(401);
    }

    @Test
    void aKeyTakesNoProtectionFromWhoIsLoggedIn() throws Exception {
        assertThat(send(ask("/ops/muster/_api/queues", "wanda")).statusCode())
                .as("the application's rule")
                .isEqualTo(403);
        assertThat(send(ask("/ops/muster/_api/queues", "wanda").header("X-API-Key", "mk_wrong"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(send(ask("/ops/muster/_api/me", "bob").header("X-API-Key", "mk_wrong"))
                        .statusCode())
                .isEqualTo(401);
        for (String shown : new String[] {"X-API-Key", "X-Nothing"}) {
            assertThat(send(ask("/ops/muster/_api/queues/idle4/pause", "ada")
                                    .header(shown, "mk_wrong")
                                    .header("Origin", "https://evil.example")
                                    .POST(HttpRequest.BodyPublishers.noBody()))
                            .statusCode())
                    .as("a page of another origin")
                    .isEqualTo(shown.equals("X-API-Key") ? 401 : 403);
            assertThat(send(ask("/orders", "ada").header(shown, "mk_wrong").POST(HttpRequest.BodyPublishers.noBody()))
                            .statusCode())
                    .as("elsewhere a request that changes something needs a CSRF token")
                    .isEqualTo(403);
        }
        assertThat(database.number("SELECT count(*) FROM muster_queues WHERE name = 'idle4'"))
                .isZero();
    }

    private static HttpRequest.Builder keyed(String path, String key) {
        return ask(path).header("X-API-Key", key);
    }

    @Test
    void aLinkOfAnotherPageOpensTheDashboardAndNoOtherPageActs() throws Exception {
        String port = context.getEnvironment().getProperty("local.server.port");

        assertThat(send(fromAnotherSite("/ops/muster/", "document")).statusCode())
                .as("a link in a chat, or the way back from the page of a login")
                .isEqualTo(200);
        assertThat(send(fromAnotherSite("/ops/muster/", "iframe")).statusCode()).isEqualTo(403);
        assertThat(send(fromAnotherSite("/ops/muster/_api/queues/idle2/pause", "document")
                                .POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .as("a form of another page")
                .isEqualTo(403);
        // Browsers send no Sec-Fetch-Site to a server without TLS.
        for (String origin :
                new String[] {"http://127.0.0.1:1", "http://127.0.0.1", "null", "http://localhost:" + port}) {
            assertThat(send(pause("ada").header("Origin", origin)).statusCode())
                    .as(origin)
                    .isEqualTo(403);
        }
        assertThat(send(ask("/ops/muster/_api/queues/idle/resume", "ada")
                                .header("Origin", "http://127.0.0.1:" + port)
                                .POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .as("the dashboard itself")
                .isEqualTo(200);
    }

    private static HttpRequest.Builder fromAnotherSite(String path, String destination) {
        return ask(path, "ada")
                .header("Sec-Fetch-Site", "cross-site")
                .header("Sec-Fetch-Mode", "navigate")
                .header("Sec-Fetch-Dest", destination);
    }

    @Test
    void eventsAreStreamedThroughTheApplicationsServer() throws Exception {
        HttpResponse<InputStream> answer = HTTP.send(
                ask("/ops/muster/_api/events?topic=jobs", "bob").build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/event-stream");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            JobId id = orders.place(11);
            String line = lines.readLine();
            while (line != null && !(line.startsWith("data:") && line.contains(id.toString()))) {
                line = lines.readLine();
            }
            assertThat(line).contains("completed");
        }
    }

    @Test
    void listenersThatGoLeaveNothingInTheLog(CapturedOutput output) throws Exception {
        AtomicLong order = new AtomicLong(1_000);
        int listened = 0;
        while (listened < 5) {
            listened += listenAndGo() ? 1 : 0;
        }

        await().atMost(SOON).until(() -> {
            // The server notices it by what it cannot send.
            ended(orders.place(order.incrementAndGet()));
            return send(ask("/ops/muster/_api/metrics", "bob")).body().contains("muster_event_clients 0");
        });

        // The server tells of a connection that has failed within a second.
        Periods.nothingHappensFor(
                Duration.ofMillis(1_500), () -> assertThat(output.toString()).doesNotContain(OF_A_LOST_CONNECTION));
    }

    /** Returns whether the server has answered: it may close a connection that comes while it deals with the loss of another. */
    private static boolean listenAndGo() throws IOException {
        HttpRequest request = ask("/ops/muster/_api/events?topic=jobs", "bob").build();
        try (Socket socket = new Socket(request.uri().getHost(), request.uri().getPort())) {
            String head = "GET " + request.uri().getRawPath() + "?topic=jobs HTTP/1.1\r\nHost: shop\r\nAuthorization: "
                    + request.headers().firstValue("Authorization").orElseThrow() + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String status = answer.readLine();
            if (status != null) {
                assertThat(status).contains("200");
                // As if the machine had gone: what is sent there is refused.
                socket.setSoLinger(true, 0);
            }
            return status != null;
        }
    }

    private static HttpRequest.Builder pause(String user) {
        return ask("/ops/muster/_api/queues/idle/pause", user).POST(HttpRequest.BodyPublishers.noBody());
    }

    private static HttpRequest.Builder ask(String path, String... user) {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        for (String name : user) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString((name + ":secret").getBytes(StandardCharsets.UTF_8)));
        }
        return request;
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = send(context, path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext to, String path)
            throws IOException, InterruptedException {
        String port = to.getEnvironment().getProperty("local.server.port");
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void anApplicationDrainsBeforeItsBeansAreDestroyed(CapturedOutput output) throws Exception {
        try (FreshDatabase own = FreshDatabase.empty()) {
            ConfigurableApplicationContext second = SpringApplication.run(ShopApplication.class, own.arguments());
            Jobs itsJobs = second.getBean(Jobs.class);
            OrderJobs handlers = second.getBean(OrderJobs.class);
            itsJobs.enqueue(JobRequest.of("wait"));
            assertThat(handlers.entered().await(60, TimeUnit.SECONDS)).isTrue();

            CompletableFuture<Void> closed = CompletableFuture.runAsync(second::close);
            await().atMost(SOON)
                    .until(() -> own.number("SELECT count(*) FROM muster_nodes WHERE status = 'draining'") == 1);
            itsJobs.enqueue(JobRequest.of("wait").delay(Duration.ofHours(1)));
            awaitNoConnectionInUse(second);
            handlers.released().countDown();
            closed.get(60, TimeUnit.SECONDS);

            assertThat(own.column("SELECT status FROM muster_job_history")).containsExactly("completed");
            assertThat(own.number("SELECT count(*) FROM muster_jobs"))
                    .as("enqueued while the node drained")
                    .isEqualTo(1);
            assertThat(own.number("SELECT count(*) FROM muster_nodes")).isZero();

            assertThat(output.getAll()).doesNotContain("without waiting any longer");

            // As devtools do: the same application again, in the same JVM.
            try (ConfigurableApplicationContext third = SpringApplication.run(ShopApplication.class, own.arguments())) {
                third.getBean(OrderJobs.class).released().countDown();
                Jobs again = third.getBean(Jobs.class);
                assertThat(again.await(again.enqueue(JobRequest.of("wait")), SOON)
                                .status())
                        .isEqualTo(JobStatus.COMPLETED);
                assertThat(own.number("SELECT count(*) FROM muster_nodes")).isEqualTo(1);

                Muster muster = third.getBean(Muster.class);
                assertThat(send(third, "/actuator/health/readiness").statusCode())
                        .isEqualTo(200);
                assertThat(muster.drainNode(muster.nodeId())).isTrue();
                muster.awaitDrained();
                assertThat(send(third, "/actuator/health/readiness").statusCode())
                        .as("an operator has drained the node")
                        .isEqualTo(503);
                assertThat(send(third, "/actuator/health/liveness").statusCode())
                        .isEqualTo(200);
            }
        }
    }
}
