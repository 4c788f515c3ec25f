package dev.muster.dashboard;

import static org.awaitility.Awaitility.await;

import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import dev.muster.job.RetryPolicy;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronSpec;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Two nodes of a shop that have something of everything that the dashboard shows. */
final class Seed {
    private static final Duration SOON = Duration.ofMinutes(2);

    /** Figures of the last hour, as if the shop had been open: more orders each quarter of an hour, some failures later on. */
    private static final String FIGURES = """
            INSERT INTO muster_metrics (minute, queue, name, completed, failed, cancelled, expired,
                run_p50_ms, run_p95_ms, run_p99_ms, wait_p50_ms, wait_p95_ms, wait_p99_ms, depth)
            SELECT minute, queue, name, (weight * (40 + 25 * sin(n / 7.0) + 9 * sin(n * 1.7)))::bigint,
                   CASE WHEN n BETWEEN 8 AND 19 AND queue = 'default' THEN (4 + 3 * sin(n))::bigint ELSE 0 END,
                   CASE WHEN n % 13 = 0 THEN 2 ELSE 0 END, 0,
                   80 + 10 * sin(n), 240 + 60 * sin(n / 3.0), 400, 12, 45 + 40 * abs(sin(n / 5.0)), 120,
                   (weight * (6 + 5 * sin(n / 4.0)))::bigint
            FROM (SELECT n, to_timestamp(floor(date_part('epoch', now()) / 60) * 60 - 60 * n) AS minute
                  FROM generate_series(3, 62) AS n) minutes,
                 (VALUES ('default', '', 1.0), ('default', 'resize_image', 1.0), ('mail', '', 0.4), ('mail', 'send_mail', 0.4)) AS all_names (queue, name, weight)
            WHERE minute >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
            ON CONFLICT DO NOTHING""";

    final Node gateway;
    final JobId completed;
    final JobId failed;
    final JobId running;
    final JobId waiting;
    final JobId scheduled;
    final JobId retrying;
    final JobId waitingRun;
    final JobId confirmedRun;
    final JobId completedRun;
    final JobId compensatedRun;
    final GraphId graph;

    private Seed(Cluster cluster, Node gateway) {
        this.gateway = gateway;
        String address = InBrowser.address(gateway);
        Jobs jobs = cluster.jobs();
        cluster.database().execute(FIGURES);

        send("PUT", address + "_api/queues/mail/limit", "{\"max_running\": 5, \"rate\": \"100/1m\"}");
        List<JobId> done = jobs.enqueueAll(IntStream.range(0, 20)
                .mapToObj(i -> JobRequest.of("resize_image", Map.of("image", "product-" + i + ".jpg", "width", 640 + i))
                        .tags(i % 2 == 0 ? "thumbnail" : "banner")
                        .metadata("shop", i % 3 == 0 ? "berlin" : "lisbon"))
                .toList());
        jobs.enqueueAll(IntStream.range(0, 6)
                .mapToObj(i -> JobRequest.of("send_mail", "customer-" + i + "@example.com"))
                .toList());
        List<JobId> declined = jobs.enqueueAll(IntStream.range(0, 4)
                .mapToObj(i -> JobRequest.of("charge_card", Map.of("order", 4711 + i, "cents", 129_900))
                        .key("charge-" + (4711 + i))
                        .tags("vip")
                        .metadata("customer", "42"))
                .toList());
        done.forEach(job -> cluster.awaitEnded(job, SOON));
        declined.forEach(job -> cluster.awaitEnded(job, SOON));
        completed = done.get(0);
        failed = declined.get(0);

        running = jobs.enqueue(JobRequest.of("import_products", Map.of("file", "autumn.csv"))
                .priority(Priority.HIGH)
                .tags("import"));
        waiting = jobs.enqueue(JobRequest.of("resize_image", Map.of("image", "later.jpg", "width", 1))
                .dependsOn(running));
        scheduled = jobs.enqueue(
                JobRequest.of("send_mail", "newsletter@example.com").delay(Duration.ofHours(3)));
        retrying = jobs.enqueue(JobRequest.of("sync_stock", Map.of("warehouse", "north")));
        jobs.enqueue(JobRequest.of("legacy_export"));
        send("POST", address + "_api/queues/reports/pause", null);
        jobs.enqueueAll(List.of(
                JobRequest.of("resize_image", Map.of("image", "r.jpg", "width", 1))
                        .queue("reports"),
                JobRequest.of("resize_image", Map.of("image", "s.jpg", "width", 2))
                        .queue("reports")));
        jobs.enqueueAll(IntStream.range(0, 3)
                .mapToObj(i -> JobRequest.of("import_products", Map.of("file", "order-" + i + ".csv"))
                        .fifo("order-17"))
                .toList());

        var workflows = cluster.client().workflows();
        waitingRun = workflows.start("sign_up", "Ada");
        confirmedRun = workflows.start("sign_up", "Grace");
        workflows.signal(confirmedRun, "confirmed", "mail");
        completedRun = workflows.start("checkout", "4711");
        compensatedRun = workflows.start("checkout", "out of stock");
        graph = cluster.client()
                .graphs()
                .submit(GraphRequest.of(
                                task("extract", "resize_image"),
                                task("orders", "resize_image").dependsOn("extract"),
                                task("stock", "import_products").dependsOn("extract"),
                                task("join", "resize_image").dependsOn("orders", "stock"),
                                task("report", "resize_image").dependsOn("join"))
                        .name("nightly_report"));
        cluster.client().rateLimits().tryAcquire(RateKey.user("login", "ada"), RateLimit.perHour(3));
        cluster.client().rateLimits().tryAcquire(RateKey.global("sms"), new RateLimit(10, Duration.ofDays(1)), 7);
        cluster.client().locks().tryAcquire("nightly-export", Duration.ofMinutes(30));
        crons(cluster);
        send("POST", address + "_api/jobs/" + scheduled + "/reprioritise", "{\"priority\": \"low\"}");

        await().atMost(SOON)
                .until(() -> jobs.find(running).orElseThrow().progress().isPresent());
        await().atMost(SOON).until(() -> jobs.find(retrying).orElseThrow().attempt() > 0);
        workflows.await(completedRun, SOON);
        workflows.await(compensatedRun, SOON);
        workflows.await(confirmedRun, SOON);
        await().atMost(SOON)
                .until(() -> workflows.find(waitingRun).orElseThrow().status() == RunStatus.WAITING);
        await().atMost(SOON)
                .until(() -> jobs.list(JobQuery.all().status(JobStatus.RUNNING)).size() >= 3);
        await().atMost(SOON).until(() -> !cluster.client().daemons().list().isEmpty());
    }

    static Seed plant(Cluster cluster) {
        Map<String, String> settings =
                Map.of("worker.concurrency", "8", "worker.lease", "1m", "node.labels", "zone=eu-1, disk=ssd");
        Node gateway = InBrowser.gateway(
                cluster,
                Map.of("gateway.auth", "none", "worker.concurrency", "8", "node.labels", "zone=eu-1, disk=ssd"),
                new Shop());
        Map<String, String> named = new LinkedHashMap<>(settings);
        named.put("node.name", "shop");
        cluster.node(named, new Shop());
        return new Seed(cluster, gateway);
    }

    private static TaskRequest task(String id, String job) {
        return TaskRequest.of(id, job, Map.of("image", id, "width", 1, "file", id));
    }

    private static void crons(Cluster cluster) {
        var crons = cluster.client().crons();
        crons.create(CronSpec.of("ping_suppliers", "@every 1s", JobRequest.of("ping_supplier")));
        await().atMost(SOON)
                .until(() -> cluster.jobs()
                                .list(JobQuery.all().name("ping_supplier"))
                                .size()
                        >= 3);
        crons.update(crons.spec("ping_suppliers").orElseThrow().expression("*/5 * * * *"));
        crons.create(CronSpec.of("monthly_invoices", "0 6 1 * *", JobRequest.of("send_mail", "invoices@example.com"))
                .zone(ZoneId.of("Europe/Berlin")));
        crons.pause("monthly_invoices");
    }

    static void send(String method, String address, @Nullable String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new IllegalStateException(method + " " + address + ": " + response.body());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Every screen: its name in pictures, and its route. */
    Map<String, String> routes() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("overview", "#/");
        all.put("jobs", "#/jobs");
        all.put("jobs-failed", "#/jobs?status=failed&q=tag:vip");
        all.put("job-completed", "#/jobs/" + completed);
        all.put("job-failed", "#/jobs/" + failed);
        all.put("job-running", "#/jobs/" + running);
        all.put("job-waiting", "#/jobs/" + waiting);
        all.put("job-retrying", "#/jobs/" + retrying);
        all.put("queues", "#/queues");
        all.put("queue", "#/queues/mail");
        all.put("nodes", "#/nodes");
        all.put("node", "#/nodes/" + gateway.id());
        all.put("crons", "#/crons");
        all.put("cron", "#/crons/ping_suppliers");
        all.put("daemons", "#/daemons");
        all.put("workflows", "#/workflows");
        all.put("run-waiting", "#/workflows/" + waitingRun);
        all.put("run-compensated", "#/workflows/" + compensatedRun);
        all.put("graphs", "#/graphs");
        all.put("graph", "#/graphs/" + graph);
        all.put("limits", "#/limits");
        all.put("audit", "#/audit");
        all.put("unknown", "#/jobs/01900000-0000-7000-8000-000000000000");
        return all;
    }

    /** What the nodes of the shop can do. */
    static final class Shop {
        private final AtomicInteger pings = new AtomicInteger();

        @Job("resize_image")
        Map<String, Object> resize(JobContext ctx, Map<String, Object> image) {
            ctx.log().info("reading {}", image.get("image"));
            return Map.of("bytes", 48_213, "format", "webp");
        }

        @Job(value = "send_mail", queue = "mail")
        void sendMail(String address) {}

        @Job(value = "charge_card", maxAttempts = 2, backoff = @Backoff(delay = "10ms"))
        void charge(JobContext ctx, Map<String, Object> order) {
            ctx.log().info("charging order {}", order.get("order"));
            ctx.log().warn("the bank asks for a second factor");
            throw new IllegalStateException(
                    "The bank declined order " + order.get("order"),
                    new IOException("connection reset by bank.example.com"));
        }

        @Job("import_products")
        void importProducts(JobContext ctx, Map<String, Object> file) throws InterruptedException {
            ctx.log().info("opened {}", file.get("file"));
            ctx.log().warn("line {} has no price, skipped", 17);
            ctx.progress(42, "1,260 of 3,000 rows");
            new CountDownLatch(1).await();
        }

        @Job(value = "sync_stock", maxAttempts = 5, backoff = @Backoff(delay = "5m"))
        void syncStock(Map<String, Object> warehouse) {
            throw new IllegalStateException("warehouse " + warehouse.get("warehouse") + " does not answer");
        }

        @Job(value = "ping_supplier", maxAttempts = 1)
        void ping() {
            if (pings.incrementAndGet() % 3 == 0) {
                throw new IllegalStateException("503 from the supplier");
            }
        }

        @Cron(value = "0 3 * * *", zone = "Europe/Berlin")
        void nightlyCleanup() {}

        @Daemon
        void priceFeed(DaemonContext ctx) throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Workflow(name = "sign_up", version = "v1")
        String signUp(WorkflowContext wf, String name) {
            wf.step("account", String.class, step -> "account of " + name);
            Optional<String> how = wf.awaitEvent("confirmed", String.class, Duration.ofDays(3));
            return name + " confirmed by " + how.orElse("nobody");
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, String order) {
            wf.step("reserve", String.class).compensateWith("release", order).run(step -> "shelf 7");
            wf.step("ship", String.class)
                    .retry(RetryPolicy.fixed(2, Duration.ofMillis(50)))
                    .run(step -> {
                        if (order.equals("out of stock")) {
                            throw new IllegalStateException("nothing left on shelf 7");
                        }
                        return "parcel 1";
                    });
            return "shipped";
        }

        @Compensation("release")
        void release(StepContext step, String order) {}
    }
}
