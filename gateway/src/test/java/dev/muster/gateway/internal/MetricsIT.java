package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.metrics.MetricsList;
import dev.muster.gateway.internal.metrics.ParsedMetrics;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.schedule.Cron;
import dev.muster.testing.Measured;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The page of metrics of a real node that runs real jobs. */
@MusterTest
class MetricsIT {
    private static final Map<String, String> WITHOUT_KEYS = Map.of("gateway.auth", "none");
    private static final Duration A_SCRAPE = Duration.ofSeconds(5);

    static final class Work {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @Job("good")
        void good() {}

        @Job(value = "bad", maxAttempts = 1, queue = "risky")
        void bad() {
            throw new IllegalStateException("bad");
        }

        @Job(value = "second_try", maxAttempts = 2, backoff = @Backoff(delay = "1ms"))
        void secondTry(JobContext ctx) {
            if (ctx.attempt() == 1) {
                throw new IllegalStateException("try again");
            }
        }

        @Job("slow")
        void slow() throws InterruptedException {
            entered.countDown();
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
        }

        @Daemon
        void watcher(DaemonContext ctx) {
            while (!ctx.awaitShutdown(Duration.ofMillis(100))) {
                // It only has to be there.
            }
        }

        @Cron("* * * * * *")
        void everySecond() {}
    }

    private static Response scrape(GatewayNode gateway, @Nullable String key) {
        long began = System.nanoTime();
        Response answer = gateway.send("GET", "/_api/metrics", key, null);
        Measured.within(A_SCRAPE, Duration.ofNanos(System.nanoTime() - began), "a scrape");
        return answer;
    }

    private static ParsedMetrics metrics(GatewayNode gateway) {
        Response answer = scrape(gateway, null);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).startsWith("text/plain").contains("version=0.0.4");
        return ParsedMetrics.of(answer.body());
    }

    private static double outcomes(ParsedMetrics metrics, String name, String queue, String outcome) {
        return metrics.value("muster_job_outcomes_total", "name", name, "queue", queue, "outcome", outcome);
    }

    @Test
    void countsEqualWhatRan(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, WITHOUT_KEYS, new Work());
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ids.add(cluster.jobs().enqueue(JobRequest.of("good")));
        }
        for (int i = 0; i < 3; i++) {
            ids.add(cluster.jobs().enqueue(JobRequest.of("bad")));
        }
        for (int i = 0; i < 2; i++) {
            ids.add(cluster.jobs().enqueue(JobRequest.of("second_try")));
        }
        ids.forEach(cluster::awaitEnded);
        // The database may show an end a moment before the node has heard that its commit succeeded.
        await().until(() -> {
            ParsedMetrics now = metrics(gateway);
            return outcomes(now, "good", "default", "completed") == 40
                    && outcomes(now, "second_try", "default", "completed") == 2
                    && outcomes(now, "bad", "risky", "failed") == 3;
        });

        ParsedMetrics metrics = metrics(gateway);

        for (String metric : List.of(
                "muster_jobs_claimed_total",
                "muster_jobs_started_total",
                "muster_job_run_seconds_count",
                "muster_job_wait_seconds_count")) {
            assertThat(metrics.value(metric, "name", "good", "queue", "default"))
                    .as(metric)
                    .isEqualTo(40);
            assertThat(metrics.value(metric, "name", "bad", "queue", "risky"))
                    .as(metric)
                    .isEqualTo(3);
            assertThat(metrics.value(metric, "name", "second_try", "queue", "default"))
                    .as(metric)
                    .isEqualTo(4);
        }
        assertThat(outcomes(metrics, "second_try", "default", "retried")).isEqualTo(2);
        assertThat(outcomes(metrics, "good", "default", "failed")).isZero();
        assertThat(metrics.value("muster_handlers_ended_total", "how", "failed"))
                .isEqualTo(5);
        assertThat(metrics.value("muster_node_joined_total", "again", "false")).isEqualTo(1);
    }

    @Test
    void everyMetricIsWrittenAsItIsDescribed(Cluster cluster) throws InterruptedException {
        Work work = new Work();
        GatewayNode gateway = GatewayNode.start(cluster, WITHOUT_KEYS, work);
        JobId slow = cluster.jobs().enqueue(JobRequest.of("slow"));
        assertThat(work.entered.await(2, TimeUnit.MINUTES)).isTrue();
        cluster.jobs().enqueue(JobRequest.of("nobody_runs_this").queue("left"));
        metrics(gateway);
        await().until(() -> {
            ParsedMetrics now = metrics(gateway);
            return now.has("muster_cron_ticks_total")
                    && now.has("muster_daemon_starts_total")
                    && now.has("muster_queue_oldest_due_timestamp_seconds");
        });

        ParsedMetrics metrics = metrics(gateway);

        assertThat(metrics.types().keySet()).isEqualTo(MetricsList.names());
        MetricsList.check(metrics);
        assertThat(metrics.value("muster_node_status", "status", "active")).isEqualTo(1);
        assertThat(metrics.value("muster_database_up")).isEqualTo(1);
        assertThat(metrics.value("muster_nodes", "status", "active")).isGreaterThanOrEqualTo(1);
        assertThat(metrics.value("muster_queue_jobs", "queue", "left", "status", "pending"))
                .isEqualTo(1);
        assertThat(metrics.value("muster_jobs_running")).isGreaterThanOrEqualTo(1);
        assertThat(metrics.value("muster_executor_running", "executor", "default", "kind", "threads"))
                .isGreaterThanOrEqualTo(1);
        assertThat(metrics.value("muster_daemons_running", "daemon", "watcher")).isEqualTo(1);
        assertThat(metrics.value("muster_http_requests_in_flight")).isEqualTo(1);
        assertThat(metrics.value("jvm_memory_used_bytes", "area", "heap")).isPositive();
        assertThat(metrics.value("muster_connections_in_use")).isPositive();
        work.release.countDown();
        cluster.awaitEnded(slow);
    }

    @Test
    void theGatewayCountsItsAnswers(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of());
        String key = gateway.key(Scope.READ);
        gateway.send("GET", "/_api/queues", key, null);
        gateway.send("GET", "/_api/queues/a", key, null);
        gateway.send("GET", "/_api/queues/b", key, null);
        gateway.send("GET", "/_api/queues", null, null);
        gateway.send("POST", "/_api/queues/a/pause", key, null);
        gateway.send("GET", "/_api/nope", key, null);
        gateway.send("GET", "/_api/ready", null, null);

        ParsedMetrics metrics = ParsedMetrics.of(scrape(gateway, key).body());

        assertThat(requests(metrics, "GET", "/_api/queues", "2xx")).isEqualTo(1);
        assertThat(requests(metrics, "GET", "/_api/queues", "4xx")).isEqualTo(1);
        assertThat(requests(metrics, "GET", "/_api/queues/{name}", "2xx")).isEqualTo(2);
        assertThat(requests(metrics, "POST", "/_api/queues/{name}/pause", "4xx"))
                .isEqualTo(1);
        assertThat(requests(metrics, "none", "none", "4xx")).isEqualTo(1);
        assertThat(metrics.value("muster_http_refused_total", "reason", "unauthorized"))
                .isEqualTo(1);
        assertThat(metrics.value("muster_http_refused_total", "reason", "forbidden"))
                .isEqualTo(1);
        assertThat(metrics.value("muster_http_request_seconds_count", "method", "GET", "route", "/_api/queues"))
                .isEqualTo(2);
        assertThat(requests(metrics, "GET", "/_api/ready", "2xx")).isEqualTo(1);
    }

    private static double requests(ParsedMetrics metrics, String method, String route, String status) {
        return metrics.value("muster_http_requests_total", "method", method, "route", route, "status", status);
    }

    @Test
    void onlyCallersOfTheWholeClusterMayRead(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String tenant =
                gateway.create(KeyRequest.of("t", Scope.ADMIN).tenant("acme")).key();

        assertThat(scrape(gateway, null).status()).isEqualTo(401);
        assertThat(scrape(gateway, tenant).status()).isEqualTo(403);
        assertThat(scrape(gateway, gateway.key(Scope.READ)).status()).isEqualTo(200);
    }

    @Test
    void theScrapeWorksWhileTheDatabaseIsGone(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, WITHOUT_KEYS, new Work());
        cluster.awaitEnded(cluster.jobs().enqueue(JobRequest.of("good")));
        gateway.node.cutDatabase();

        for (int i = 0; i < 3; i++) {
            ParsedMetrics metrics = metrics(gateway);
            assertThat(metrics.value("muster_database_up")).isZero();
            assertThat(metrics.has("muster_queue_jobs")).isFalse();
            assertThat(metrics.value("muster_jobs_started_total", "name", "good", "queue", "default"))
                    .isEqualTo(1);
        }

        gateway.node.restoreDatabase();
        await().until(() -> metrics(gateway).value("muster_database_up") == 1);
    }

    /** The gateway cannot know whether the key was revoked, so it neither accepts nor refuses it. */
    @Test
    void aKeyThatCannotBeCheckedGets503InTime(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.READ);
        gateway.node.cutDatabase();

        Response answer = scrape(gateway, key);

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text("error", "code")).isEqualTo("database_unavailable");
        gateway.node.restoreDatabase();
    }
}
