package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.function.FunctionError;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.gateway.internal.FuzzedRequests.Fuzzed;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Tenants;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.testing.Measured;
import dev.muster.testkit.Cluster;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests of callers with all scopes, and of a tenant, to a gateway of a cluster in which there are jobs, runs, graphs, batches, crons
 * and functions. Each request is right but for one thing, or right, so that what is behind the checks is reached.
 *
 * <p>No answer is a 500 but those of a function that fails, none tells of the inside or of another tenant, and each is one that the OpenAPI
 * document has.
 */
final class RequestFuzz {
    private static final int THREADS = 4;

    /** Stands in everything that belongs to the other tenant. */
    private static final String MARKER = "globex7f3a";

    /** What an error must not have: the inside of the program and of the database. */
    private static final List<String> INSIDE = List.of(
            "org.postgresql",
            "PSQLException",
            "java.lang",
            "java.util",
            "\\tat ",
            "dev.muster",
            "SELECT ",
            "INSERT INTO",
            "muster_job",
            "StackOverflow",
            "OutOfMemory");

    private final Cluster cluster;
    private final GatewayNode gateway;
    private final Things things = new Things();
    private final Map<Scope, String> keys = new LinkedHashMap<>();
    private final String tenant;
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Integer> statuses = new TreeMap<>();
    private final Map<String, Integer> done = new TreeMap<>();
    private int sent;

    record Args(int count, String name) {}

    static final class App {
        @Job(value = "greet", maxAttempts = 1, tenants = true)
        String greet(@Nullable Object who) {
            return "hello " + who;
        }

        @Job(value = "fail", maxAttempts = 1)
        void fail(@Nullable Object what) {
            throw new IllegalStateException("as always");
        }

        @Job(value = "line", maxConcurrent = 2, concurrencyKey = "name", maxAttempts = 1, tenants = true)
        @Nullable
        Object line(@Nullable Object what) {
            return what;
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, @Nullable Object cart) {
            return wf.step("charge", String.class, step -> "charged") + wf.awaitEvent("paid", Object.class);
        }

        @Daemon
        void watch(DaemonContext ctx) {
            while (!ctx.awaitShutdown(Duration.ofSeconds(1))) {
                Thread.onSpinWait();
            }
        }

        @Query
        String hello() {
            return "hello";
        }

        @Mutation
        String order(MutationContext ctx, Args args) {
            return ctx.jobs().enqueue("greet", args.name()).toString();
        }

        @Query
        String explode() {
            throw new IllegalStateException("as always");
        }

        @Query
        String refuse() {
            throw new FunctionError("sold_out", "article 7 is sold out");
        }
    }

    private RequestFuzz(Cluster cluster) {
        this.cluster = cluster;
        this.gateway =
                GatewayNode.start(cluster, Map.of("gateway.max_body", "128k", "gateway.read_timeout", "5m"), new App());
        for (Scope scope : Scope.known()) {
            keys.put(scope, gateway.key(scope));
        }
        this.tenant = gateway.create(KeyRequest.of("acme", Scope.WRITE).tenant("acme"))
                .key();
        for (int i = 0; i < 20; i++) {
            cluster.client()
                    .jobs()
                    .enqueue(JobRequest.of("greet", MARKER)
                            .metadata("tenant", "globex")
                            .metadata("customer", "1")
                            .metadata(MARKER, MARKER)
                            .key(MARKER + i)
                            .tags("vip", MARKER));
            create("jobs", "{\"name\":\"greet\",\"args\":\"Ada\"}");
        }
        for (int i = 0; i < 5; i++) {
            create("crons", "{\"name\":\"cron-" + i + "\",\"expression\":\"0 3 * * *\",\"job\":\"greet\",\"args\":1}");
            create("workflows", "{\"workflow_name\":\"checkout\",\"input\":\"cart\"}");
            create(
                    "graphs",
                    "{\"tasks\":[{\"id\":\"t0\",\"name\":\"" + ValidRequests.JOBS.get(i % 2) + "\",\"inputs\":1}]}");
            create("batches", "{\"name\":\"batch\"}");
            things.add(
                    "keys",
                    gateway.create(KeyRequest.of("spare", Scope.READ)).info().id());
        }
        things.add("nodes", gateway.node.id());
    }

    private void create(String kind, String body) {
        Response created = gateway.post("/_api/" + kind, body);
        assertThat(created.status()).as(created.body()).isEqualTo(201);
        things.add(kind, created.text(kind.equals("crons") ? "name" : "id"));
    }

    static RequestFuzz start(Cluster cluster) {
        return new RequestFuzz(cluster);
    }

    /** Sends this many requests. */
    void send(int count, long seed) throws Exception {
        List<CompletableFuture<Boolean>> senders = IntStream.range(0, THREADS)
                .mapToObj(i -> GatewayNode.later(() -> sendSome(count / THREADS, new Random(seed + i))))
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(senders.toArray(CompletableFuture[]::new));
        Duration longest = longestStatement(all);
        for (CompletableFuture<Boolean> sender : senders) {
            sender.get(1, TimeUnit.HOURS);
        }
        Measured.within(Duration.ofSeconds(1), longest, "the longest statement of " + count + " requests");
    }

    private void sendSome(int count, Random random) {
        FuzzedRequests requests = new FuzzedRequests(random, things);
        for (int i = 0; i < count; i++) {
            boolean tenants = random.nextInt(4) == 0;
            Route route = route(random, tenants);
            Fuzzed request = requests.next(route);
            try {
                look(request, tenants, answer(request, tenants ? tenant : key(route, random)));
            } catch (AssertionError | RuntimeException e) {
                wrong.add(request + "\n ⇒ " + FuzzedRequests.shortened(String.valueOf(e.getMessage())));
            }
        }
    }

    private static Route route(Random random, boolean tenants) {
        while (true) {
            Route route = Routes.all().get(random.nextInt(Routes.all().size()));
            // Now and then a tenant tries what it may not do.
            if (!tenants || route.tenants() == Tenants.CONFINED || random.nextInt(10) == 0) {
                return route;
            }
        }
    }

    /** A key whose scope is enough, as a rule. */
    private String key(Route route, Random random) {
        List<Scope> scopes = Scope.known().stream()
                .filter(scope -> random.nextInt(10) == 0
                        || route.scope()
                                .filter(needed -> !scope.includes(needed))
                                .isEmpty())
                .toList();
        return keys.get(scopes.isEmpty() ? Scope.ADMIN : scopes.get(random.nextInt(scopes.size())));
    }

    private Response answer(Fuzzed request, String key) {
        return gateway.send(
                request.route().method().name(),
                request.path(),
                key,
                request.body(),
                request.headers().toArray(String[]::new));
    }

    private void look(Fuzzed request, boolean tenants, Response answer) {
        int status = answer.status();
        String body = answer.body();
        synchronized (statuses) {
            sent++;
            statuses.merge(status, 1, Integer::sum);
            done.merge(request.route().toString(), status < 300 ? 1 : 0, Integer::sum);
        }
        if (tenants && body.contains(MARKER)) {
            wrong.add(request + "\n ⇒ tells of another tenant: " + FuzzedRequests.shortened(body));
        }
        boolean failing = request.route().path().startsWith("/_api/rpc/") && body.contains("\"code\":\"failed\"");
        if (status >= 500 && !failing && request.route().scope().isPresent()) {
            wrong.add(request + "\n ⇒ " + FuzzedRequests.shortened(body));
        }
        if (status >= 400) {
            INSIDE.stream()
                    .filter(body::contains)
                    .forEach(inside ->
                            wrong.add(request + "\n ⇒ tells of " + inside + ": " + FuzzedRequests.shortened(body)));
        } else if (status == 201 || status == 200) {
            remember(request.route(), answer);
        }
    }

    private void remember(Route route, Response answer) {
        String[] parts = route.path().split("/");
        boolean creates = route.method() == Route.Method.POST
                && parts.length == 3
                && !route.path().equals("/");
        if (creates && answer.at() instanceof Map<?, ?> document) {
            Optional.ofNullable(document.get(parts[2].equals("crons") ? "name" : "id"))
                    .ifPresent(id -> things.add(parts[2], String.valueOf(id)));
        }
    }

    /** Looks what the database does until the requests are answered; by its own clock, because tests move the one that has no schema. */
    private Duration longestStatement(CompletableFuture<Void> end) throws SQLException {
        AtomicLong longest = new AtomicLong();
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            while (!end.isDone()) {
                try (ResultSet active = statement.executeQuery(
                        "SELECT coalesce(max(extract(epoch FROM pg_catalog.clock_timestamp() - query_start)), 0) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
                                + " AND backend_type = 'client backend'")) {
                    active.next();
                    longest.accumulateAndGet((long) (active.getDouble(1) * 1000), Math::max);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
        return Duration.ofMillis(longest.get());
    }

    /** Nothing was wrong, and what is behind the checks was reached. */
    void assertAllIsWell() {
        int good = statuses.entrySet().stream()
                .filter(entry -> entry.getKey() < 300)
                .mapToInt(Map.Entry::getValue)
                .sum();
        List<String> never = done.entrySet().stream()
                .filter(entry -> entry.getValue() == 0)
                .map(Map.Entry::getKey)
                .toList();
        System.out.printf(
                "%d requests: %s; %d %% were answered with 2xx; never: %s%n", sent, statuses, 100 * good / sent, never);
        List<String> first = new ArrayList<>(wrong).subList(0, Math.min(20, wrong.size()));
        assertThat(first).as("%d of %d", wrong.size(), sent).isEmpty();
        assertThat(100 * good / sent)
                .as("%% of the requests that were answered with 2xx")
                .isGreaterThanOrEqualTo(30);
        assertThat(gateway.get("/_api/queues").status()).isEqualTo(200);
    }
}
