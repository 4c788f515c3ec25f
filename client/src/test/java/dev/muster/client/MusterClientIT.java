package dev.muster.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.ApiKeyInfo;
import dev.muster.access.AuditQuery;
import dev.muster.access.CallerInfo;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.event.Event;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Subscription;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import dev.muster.function.Mutation;
import dev.muster.function.Query;
import dev.muster.gateway.internal.Routes;
import dev.muster.gateway.internal.route.Route;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRate;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.KeyConflict;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.QueueLimit;
import dev.muster.job.RawJson;
import dev.muster.job.RetryableJobs;
import dev.muster.overview.Overview;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.InvalidCron;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows.RunQuery;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@MusterTest
class MusterClientIT {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Routes that no program needs which has a client. */
    private static final Set<String> WITHOUT_VERB =
            Set.of("GET /_api/openapi.json", "GET /_api/metrics", "POST /", "POST /_api/jsonrpc");

    record Greeting(String name, double factor) {}

    private static final JobType<Greeting, String> GREET = JobType.of("greet", Greeting.class, String.class);
    private static final WorkflowType<String, String> ORDER = WorkflowType.of("order", String.class, String.class);

    static final class App {
        @Job(value = "greet", maxAttempts = 1)
        String greet(JobContext ctx, Greeting greeting) {
            ctx.log().info("greeting " + greeting.name());
            ctx.progress(50, "half");
            return "hello " + greeting.name();
        }

        @Job(value = "fail", maxAttempts = 1)
        void fail() {
            throw new IllegalStateException("as always");
        }

        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf, String article) {
            String paid = wf.awaitEvent("paid", String.class);
            return wf.step("ship", String.class, step -> article + " " + paid);
        }

        @Workflow(name = "broken", version = "v1")
        String broken(WorkflowContext wf, @Nullable String article) {
            throw new IllegalStateException("as always");
        }

        @Query
        String echo(String text) {
            return "echo " + text;
        }

        @Mutation
        void nothing() {}

        @Daemon(name = "feed")
        void feed(DaemonContext ctx) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    private final RecordingClient http = new RecordingClient();

    private MusterClient start(Cluster cluster) {
        Node node = cluster.node(Map.of("gateway.port", "0", "worker.lease", "1m"), new App());
        return client(cluster, node, Scope.ADMIN);
    }

    private MusterClient client(Cluster cluster, Node node, Scope scope) {
        String key =
                cluster.client().apiKeys().create(KeyRequest.of("it", scope)).key();
        return MusterClient.builder()
                .server(URI.create("http://127.0.0.1:" + node.ports().get(0)))
                .key(key)
                .httpClient(http)
                .build();
    }

    @Test
    void everyRouteHasAVerb(Cluster cluster) {
        MusterClient client = start(cluster);
        Muster inProcess = cluster.client();

        jobs(client, inProcess);
        queues(client, inProcess);
        crons(client, inProcess);
        workflows(client, inProcess);
        graphs(client, inProcess);
        batches(client, inProcess);
        access(client, inProcess);
        functions(client);
        events(client);
        theRestAndDrain(client, inProcess);

        Set<String> called = Routes.all().stream()
                .filter(route -> http.sent().stream().anyMatch(sent -> isCallOf(route, sent)))
                .map(Route::toString)
                .collect(Collectors.toSet());
        Set<String> wanted = Routes.all().stream()
                .filter(route -> route.scope().isPresent())
                .map(Route::toString)
                .filter(route -> !WITHOUT_VERB.contains(route))
                .collect(Collectors.toSet());
        assertThat(called).containsAll(wanted);
    }

    /** Of the routes that a path fits, the one with the fewest parameters is called. */
    private static boolean isCallOf(Route route, String sent) {
        return Routes.all().stream()
                .filter(one -> sent.matches(
                        one.method() + " " + one.path().replace(".", "\\.").replaceAll("\\{[a-z_]+}", "[^/]+")))
                .min((one, other) ->
                        one.pathParameters().size() - other.pathParameters().size())
                .filter(route::equals)
                .isPresent();
    }

    private static void events(MusterClient client) {
        try (EventReader events = client.events(Subscription.ALL)) {
            Event hello = events.next().orElseThrow();
            assertThat(hello.content()).isInstanceOf(Event.Hello.class);
            JobId greeted = client.jobs().enqueue(GREET, new Greeting("Ada", 1.10));
            Event event = events.next().orElseThrow();
            while (!(event.content() instanceof JobEnded ended && ended.id().equals(greeted))) {
                event = events.next().orElseThrow();
            }
            assertThat(hello.position()).isLessThan(event.position());
        }
    }

    private static void jobs(MusterClient client, Muster inProcess) {
        JobId greeted = client.jobs().enqueue(GREET, new Greeting("Ada", 1.10));
        JobInfo job = client.jobs().await(greeted, LONG);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(client.jobs().result(GREET, job)).isEqualTo("hello Ada");
        assertThat(job).isEqualTo(inProcess.jobs().find(greeted).orElseThrow());
        assertThat(client.jobs().find(JobId.next())).isEmpty();
        await().untilAsserted(() -> assertThat(client.jobs().logs(greeted, 0, 10))
                .extracting(LogLine::message)
                .containsExactly("greeting Ada"));
        assertThat(client.jobs().attempts(greeted)).isEqualTo(inProcess.jobs().attempts(greeted));
        assertThat(client.jobs().logs(JobId.next(), 0, 10)).isEmpty();

        Instant later = Instant.parse("2100-01-01T00:00:00Z");
        JobRequest keyed =
                JobRequest.of(GREET, new Greeting("Eve", 2)).key("once").at(later);
        Enqueued first = client.jobs().submit(keyed);
        assertThat(first.created()).isTrue();
        assertThat(client.jobs().submit(keyed)).isEqualTo(new Enqueued(first.id(), false));
        assertThatThrownBy(() -> client.jobs()
                        .submit(JobRequest.of(GREET, new Greeting("Bob", 2)).key("once")))
                .isInstanceOfSatisfying(
                        KeyConflict.class, e -> assertThat(e.existing()).isEqualTo(first.id()));
        assertThatThrownBy(() -> client.jobs()
                        .enqueue(JobRequest.of(GREET, new Greeting("Bob", 2)).dependsOn(JobId.next())))
                .isInstanceOf(InvalidJob.class);
        assertThat(client.jobs().reschedule(first.id(), later.plusSeconds(60))).isTrue();
        assertThat(client.jobs().reschedule(first.id(), Duration.ofDays(300))).isTrue();
        assertThat(client.jobs().reprioritise(first.id(), Priority.LOW)).isTrue();
        assertThat(client.jobs().reprioritise(greeted, Priority.LOW)).isFalse();
        assertThat(client.jobs().reschedule(JobId.next(), later)).isFalse();
        assertThat(client.jobs().find(first.id()).orElseThrow().priority()).isEqualTo(Priority.LOW);
        assertThat(client.jobs().cancel(first.id())).isEqualTo(Cancellation.CANCELLED);
        assertThat(client.jobs().cancel(first.id())).isEqualTo(Cancellation.ALREADY_ENDED);
        assertThat(client.jobs().cancel(JobId.next())).isEqualTo(Cancellation.NOT_FOUND);
        assertThat(client.jobs().retry(greeted)).isFalse();
        assertThat(client.jobs().retry(JobId.next())).isFalse();

        JobId failed = client.jobs().enqueue("fail", null);
        JobId dependent = client.jobs()
                .enqueue(JobRequest.of("greet", new RawJson("{\"name\":\"x\",\"factor\":1}"))
                        .dependsOn(failed)
                        .tags("waits"));
        client.jobs().await(failed, LONG);
        client.jobs().await(dependent, LONG);
        assertThatThrownBy(() -> client.jobs().retry(dependent)).isInstanceOf(MusterException.class);
        // If it failed again before its dependents are retried, they would be left out.
        client.queues().pause("default");
        assertThat(client.jobs().retryWithDependents(failed)).isEqualTo(2);
        client.queues().resume("default");
        client.jobs().await(failed, LONG);
        JobQuery failures = JobQuery.all().name("fail");
        assertThat(client.jobs().retryable(failures)).containsExactly(new RetryableJobs("fail", JobStatus.FAILED, 1));
        assertThat(client.jobs().retryAll(failures)).isEqualTo(1);
        client.jobs().await(failed, LONG);
        assertThat(client.jobs().cancelAll(failures)).isEqualTo(new BulkCancellation(0, 0));
        assertThatThrownBy(() -> client.jobs().cancelAll(JobQuery.all())).isInstanceOf(InvalidJob.class);

        JobPage page = client.jobs().search(JobQuery.all().limit(2));
        assertThat(page.jobs()).hasSize(2);
        assertThat(client.jobs().list(JobQuery.all().limit(5_000)))
                .isEqualTo(inProcess.jobs().list(JobQuery.all().limit(5_000)));
        assertThat(client.jobs().list(JobQuery.all().tags("waits"))).hasSize(1);
        assertThat(client.jobs().counts(JobQuery.all().name("fail")).keySet())
                .containsExactlyElementsOf(JobStatus.known());
        assertThatThrownBy(() -> client.jobs().in(null)).isInstanceOf(NeedsDatabase.class);
    }

    private static void queues(MusterClient client, Muster inProcess) {
        client.queues().pause("mail");
        assertThat(inProcess.queues().list().get(0).pausedAt()).isPresent();
        QueueLimit limit = QueueLimit.of(5, JobRate.parse("100/1m"));
        client.queues().limit("mail", limit);
        assertThat(client.queue("mail").limit()).isEqualTo(limit);
        assertThat(client.queues().list()).isEqualTo(inProcess.queues().list());
        client.queues().limit("mail", QueueLimit.NONE);
        client.queues().resume("mail");
        assertThat(client.queue("mail").pausedAt()).isEmpty();
    }

    private static void crons(MusterClient client, Muster inProcess) {
        CronSpec spec = CronSpec.of("yearly", "0 0 1 1 *", JobRequest.of(GREET, new Greeting("cron", 1)));
        CronInfo created = client.crons().create(spec);
        assertThat(created.name()).isEqualTo("yearly");
        assertThatThrownBy(() -> client.crons().create(spec)).isInstanceOf(InvalidCron.class);
        CronSpec stored = client.crons().spec("yearly").orElseThrow();
        client.crons().update(stored.expression("0 0 2 1 *"));
        // The leader computes the next tick.
        await().until(() ->
                client.crons().find("yearly").orElseThrow().nextTick().isPresent());
        assertThat(client.crons().find("yearly").orElseThrow())
                .isEqualTo(inProcess.crons().find("yearly").orElseThrow());
        assertThat(client.crons().list()).isEqualTo(inProcess.crons().list());
        assertThat(client.crons().pause("yearly").pausedAt()).isPresent();
        assertThat(client.crons().resume("yearly").pausedAt()).isEmpty();
        assertThat(client.crons().next("yearly", 3)).isEqualTo(inProcess.crons().next("yearly", 3));
        JobId triggered = client.crons().trigger("yearly");
        assertThat(client.jobs().await(triggered, LONG).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(client.crons().history("yearly", 10))
                .isEqualTo(inProcess.crons().history("yearly", 10));
        assertThat(client.crons().delete("yearly")).isTrue();
        assertThat(client.crons().delete("yearly")).isFalse();
        assertThat(client.crons().find("yearly")).isEmpty();
        assertThatThrownBy(() -> client.crons().pause("yearly")).isInstanceOf(InvalidCron.class);
        assertThatThrownBy(() -> client.crons().history("yearly", 10)).isInstanceOf(InvalidCron.class);
    }

    /** As it comes over HTTP. */
    private static final String LEFT_OUT = LeftOut.TEXT.replace("\": \"", "\":\"");

    private static void workflows(MusterClient client, Muster inProcess) {
        JobId run = client.workflows().start(RunRequest.of(ORDER, "book").key("k"));
        assertThat(client.workflows().start(RunRequest.of(ORDER, "book").key("k")))
                .isEqualTo(run);
        assertThat(client.workflows().signal(run, "paid", "cash", "e1")).isTrue();
        RunInfo ended = client.workflows().await(run, LONG);
        assertThat(ended.status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(client.workflows().result(ORDER, ended)).isEqualTo("book cash");
        RunInfo listed = ended.withPayloads(LEFT_OUT, Optional.of(LEFT_OUT));
        assertThat(client.workflows().result(ORDER, listed))
                .as("what a list has left out is read by itself")
                .isEqualTo("book cash");
        assertThat(inProcess.workflows().result(ORDER, listed)).isEqualTo("book cash");
        assertThat(ended).isEqualTo(inProcess.workflows().find(run).orElseThrow());
        assertThat(client.workflows().steps(run))
                .isEqualTo(inProcess.workflows().steps(run));
        StepInfo first = inProcess.workflows().steps(run).get(0);
        assertThat(client.workflows().step(run, first.path())).contains(first);
        assertThat(client.workflows().step(run, "no such")).isEmpty();
        assertThat(client.workflows().cancel(run, "too late")).isFalse();
        assertThatThrownBy(() -> client.workflows().cancel(JobId.next(), "why")).isInstanceOf(MusterException.class);
        assertThat(client.workflows().retry(run)).isFalse();

        JobId waiting = client.workflows().start(ORDER, "pen");
        assertThat(client.workflows().countLive("order", "v1")).isEqualTo(1);
        assertThat(client.workflows().cancel(waiting, "no money")).isTrue();
        client.workflows().await(waiting, LONG);
        client.workflows().start(ORDER, "ink");
        assertThat(client.workflows().retire("order", "v1", "gone")).isEqualTo(1);
        JobId broken = client.workflows().start("broken", null);
        client.workflows().await(broken, LONG);
        assertThat(client.workflows().retry(broken)).isTrue();
        client.workflows().await(broken, LONG);

        client.workflows().pause("order");
        assertThat(client.workflows().definitions())
                .isEqualTo(inProcess.workflows().definitions());
        client.workflows().resume("order");
        assertThat(client.workflows().list(RunQuery.all()))
                .isEqualTo(inProcess.workflows().list(RunQuery.all()));
        assertThatThrownBy(() ->
                        client.workflows().startAll(List.of(RunRequest.of(ORDER, "a"), RunRequest.of(ORDER, "b"))))
                .isInstanceOf(NeedsDatabase.class);
    }

    private static void graphs(MusterClient client, Muster inProcess) {
        GraphId good = client.graphs()
                .submit(GraphRequest.of(
                                TaskRequest.of("a", "greet", new Greeting("a", 1)),
                                TaskRequest.of("b", "greet", new Greeting("b", 1))
                                        .dependsOn("a"))
                        .name("pair"));
        GraphInfo ended = client.graphs().await(good, LONG);
        assertThat(ended.status()).isEqualTo(GraphStatus.COMPLETED);
        assertThat(client.graphs().tree(good)).isEqualTo(inProcess.graphs().tree(good));
        assertThat(client.graphs().find(good)).contains(ended);
        assertThat(client.graphs()
                        .result(
                                GREET,
                                client.graphs()
                                        .tree(good)
                                        .orElseThrow()
                                        .task("b")
                                        .orElseThrow()))
                .isEqualTo("hello b");
        TaskInfo task = client.graphs().task(good, "b").orElseThrow();
        assertThat(inProcess.graphs().task(good, "b")).contains(task);
        assertThat(client.graphs().task(good, "c")).isEmpty();
        assertThat(client.graphs().task(GraphId.next(), "b")).isEmpty();
        TaskInfo inTree = task.withPayloads(LEFT_OUT, Optional.of(LEFT_OUT));
        for (Graphs graphs : List.of(client.graphs(), inProcess.graphs())) {
            assertThatThrownBy(() -> graphs.result(GREET, inTree)).hasMessageContaining("was left out of its tree");
        }
        assertThat(client.graphs().list(GraphQuery.all())).containsExactly(ended);
        assertThat(client.graphs().retry(good)).isZero();
        assertThat(client.graphs().cancel(good, "late")).isFalse();
        assertThat(client.graphs().cancel(good, "a", "late")).isFalse();
        assertThatThrownBy(() -> client.graphs().cancel(GraphId.next(), "why")).isInstanceOf(MusterException.class);

        GraphId bad = client.graphs().submit(GraphRequest.of(TaskRequest.of("a", "fail"), TaskRequest.of("b", "fail")));
        client.graphs().await(bad, LONG);
        assertThat(client.graphs().retry(bad, "a")).isEqualTo(1);
        client.graphs().await(bad, LONG);
        assertThat(client.graphs().retry(bad)).isEqualTo(2);
        client.graphs().await(bad, LONG);
        assertThatThrownBy(() -> client.graphs()
                        .submit(GraphRequest.of(TaskRequest.of("a", "greet").dependsOn("nobody"))))
                .isInstanceOf(InvalidGraph.class);
    }

    private static void batches(MusterClient client, Muster inProcess) {
        BatchId batch = client.batches().create(BatchRequest.of("import").onComplete(JobRequest.of("fail")));
        client.jobs().enqueue(JobRequest.of(GREET, new Greeting("b", 1)).batch(batch));
        client.batches().seal(batch);
        BatchInfo closed = client.batches().await(batch, LONG);
        assertThat(closed.status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(closed).isEqualTo(inProcess.batches().find(batch).orElseThrow());
        BatchId fanned =
                client.batches().fanOut(BatchRequest.of("fan"), List.of(JobRequest.of(GREET, new Greeting("c", 1))));
        client.batches().await(fanned, LONG);
        assertThat(client.batches().list(BatchQuery.all()))
                .extracting(BatchInfo::id)
                .containsExactly(fanned, batch);
        assertThat(client.batches().cancel(fanned)).isEqualTo(new BulkCancellation(0, 0));
        assertThat(client.batches().find(BatchId.next())).isEmpty();
        assertThatThrownBy(() -> client.batches().seal(BatchId.next())).isInstanceOf(MusterException.class);
    }

    private static void access(MusterClient client, Muster inProcess) {
        CreatedKey created =
                client.apiKeys().create(KeyRequest.of("billing", Scope.WRITE).expiresIn(Duration.ofDays(3)));
        String id = created.info().id();
        assertThat(client.apiKeys().find(id)).isEqualTo(inProcess.apiKeys().find(id));
        CreatedKey successor = client.apiKeys().rotate(id, Duration.ofHours(1));
        assertThat(client.apiKeys().list())
                .extracting(ApiKeyInfo::id)
                .contains(id, successor.info().id());
        assertThat(client.apiKeys().revoke(id)).isTrue();
        assertThat(client.apiKeys().revoke(id)).isFalse();
        AuditQuery query = AuditQuery.newest().action("keys.create").target(id);
        assertThat(client.audit().list(query))
                .isNotEmpty()
                .isEqualTo(inProcess.audit().list(query));
    }

    private static void functions(MusterClient client) {
        assertThat(client.functions().list())
                .extracting(FunctionInfo::name, FunctionInfo::kind)
                .contains(tuple("echo", FunctionKind.QUERY), tuple("nothing", FunctionKind.MUTATION));
        assertThat(client.call("echo", "x", String.class)).isEqualTo("echo x");
        assertThat(client.call("nothing", null, String.class)).isNull();
        assertThatThrownBy(() -> client.call("nobody", null, String.class))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.status()).isEqualTo(404));
    }

    private static void theRestAndDrain(MusterClient client, Muster inProcess) {
        assertThat(client.daemons().list()).hasSize(1);
        assertThat(client.daemons().reset("feed")).isFalse();
        assertThat(client.daemons().reset("nobody")).isFalse();
        assertThat(client.admin().handlers()).isEqualTo(inProcess.admin().handlers());
        assertThat(client.admin().knownNames()).isEqualTo(inProcess.admin().knownNames());
        // A minute may end between two readings.
        await().untilAsserted(() -> assertThat(
                        client.admin().metrics(Duration.ofHours(1)).of())
                .isEqualTo(inProcess.admin().metrics(Duration.ofHours(1)).of()));
        await().untilAsserted(() -> assertThat(client.admin()
                        .minutes(Duration.ofHours(1), Optional.of("default"))
                        .queues())
                .isEqualTo(inProcess
                        .admin()
                        .minutes(Duration.ofHours(1), Optional.of("default"))
                        .queues()));
        await().untilAsserted(() -> {
            Overview overview = client.overview();
            assertThat(overview.minutes()).hasSize(60);
            assertThat(overview.nodes()).isEqualTo(inProcess.overview().nodes());
            assertThat(overview.counts()).isEqualTo(inProcess.overview().counts());
        });
        assertThat(client.admin().concurrencyGroups(10, Optional.empty()))
                .isEqualTo(inProcess.admin().concurrencyGroups(10, Optional.empty()));
        assertThat(client.admin().rateLimits(10))
                .hasSameSizeAs(inProcess.admin().rateLimits(10));
        CallerInfo me = client.me();
        assertThat(me.id()).startsWith("key:");
        assertThat(me.scope()).isEqualTo(Scope.ADMIN);
        assertThat(client.admin().replicaLag()).isEmpty();
        assertThatThrownBy(() -> client.admin().migrateUp()).isInstanceOf(NeedsDatabase.class);
        assertThat(client.locks().list()).isEqualTo(inProcess.locks().list());
        assertThatThrownBy(() -> client.locks().tryAcquire("l", Duration.ofSeconds(1)))
                .isInstanceOf(NeedsDatabase.class);
        assertThat(client.leaders()).hasSameSizeAs(inProcess.leaders());
        String node = client.nodes().get(0).id();
        assertThat(client.node(node)).isPresent();
        assertThat(client.node("nobody")).isEqualTo(Optional.empty());
        assertThat(client.drainNode("nobody")).isFalse();
        assertThat(client.drainNode(node)).isTrue();
    }

    @Test
    void aKeyWithoutTheScopeIsRefused(Cluster cluster) {
        Node node = cluster.node(Map.of("gateway.port", "0", "worker.lease", "1m"), new App());
        MusterClient client = client(cluster, node, Scope.READ);

        assertThatThrownBy(() -> client.queues().pause("q")).isInstanceOfSatisfying(GatewayException.class, e -> {
            assertThat(e.status()).isEqualTo(403);
            assertThat(e.code()).isEqualTo("forbidden");
            assertThat(e.requestId()).isPresent();
        });
    }
}
