package dev.muster.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.testkit.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The meters of real nodes, in a registry of Prometheus. */
class MusterMetersIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** The test moves the clock of its nodes, each time by much less than these. */
    private static final Map<String, String> LONG_LEASES =
            Map.of("worker.lease", "1h", "leader.lease", "1h", "cluster.dead_threshold", "1h");

    private final TestDatabase database = TestDatabase.fromEnv();
    private final List<MeteredNode> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(node -> node.muster.close());
        database.close();
    }

    static final class Mail {
        @Job("mail")
        void mail(JobContext ctx) {}

        @Cron(value = "@every 1s", name = "often")
        void often(CronContext ctx) {}
    }

    private final class MeteredNode {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        final Muster muster;
        private final AtomicLong ahead = new AtomicLong();

        MeteredNode(String id) {
            MusterMeters meters = new MusterMeters();
            meters.bindTo(registry);
            this.muster = Muster.builder()
                    .dataSource(database.dataSource())
                    .config(MusterConfig.defaults().with(LONG_LEASES).with("node.id", id))
                    .clock(() -> System.nanoTime() + ahead.get())
                    .register(new Mail())
                    .telemetry(meters)
                    .build();
            meters.observe(muster);
            nodes.add(this);
            muster.start();
        }

        String scrape() {
            return registry.scrape();
        }

        /** The figures of the cluster are read again when they are this old, and shown by a later scrape. */
        String scrapeAfterAWhile() {
            ahead.addAndGet(ClusterGauges.FRESH.toNanos());
            return scrape();
        }

        /** The names of all samples. */
        Set<String> names() {
            return scrapeAfterAWhile()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("[{ ]", 2)[0])
                    .collect(Collectors.toSet());
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(SOON).pollInterval(Duration.ofMillis(200));
    }

    private static String sampleOf(MeterName meter) {
        String name = MeterNameTest.inPrometheus(meter);
        return meter.type() == MeterName.Type.TIMER ? name + "_bucket" : name;
    }

    @Test
    void aNodeHasTheMetersOfThePageUnderTheSameNames() {
        MeteredNode node = new MeteredNode("a");
        JobId id = node.muster.jobs().enqueue("mail", null);
        assertThat(node.muster.jobs().await(id, SOON).status()).isEqualTo(JobStatus.COMPLETED);
        // It is due, and nobody may claim it.
        node.muster.queues().pause("later");
        node.muster.jobs().enqueue(JobRequest.of("mail").queue("later"));

        Set<String> expected = Arrays.stream(MeterName.values())
                .filter(meter -> !meter.text().startsWith("muster.daemon"))
                .map(MusterMetersIT::sampleOf)
                .collect(Collectors.toSet());
        soon().untilAsserted(() -> assertThat(node.names()).containsAll(expected));
        soon().untilAsserted(() -> assertThat(node.scrapeAfterAWhile())
                .contains("muster_job_outcomes_total{name=\"mail\",outcome=\"completed\",queue=\"default\"} 1.0")
                .contains("muster_queue_paused{queue=\"later\"} 1.0")
                .contains("muster_node_status{status=\"active\"} 1.0")
                .contains("muster_database_up 1.0")
                .containsPattern("muster_job_run_seconds_bucket\\{name=\"mail\",queue=\"default\",le=\"0.5\"}"));
    }

    @Test
    void onlyTheLeaderHasTheFiguresOfTheCluster() {
        MeteredNode leader = new MeteredNode("a");
        soon().until(() -> leader.muster.leadership(LeaderRole.SCHEDULER).isLeader());
        MeteredNode other = new MeteredNode("b");
        soon().until(() -> leader.scrapeAfterAWhile().contains("muster_nodes{status=\"active\"} 2.0"));

        soon().until(() -> other.scrape().contains("muster_database_up 1.0"));
        assertThat(other.names()).doesNotContain("muster_nodes", "muster_queue_jobs", "muster_queue_paused");
        leader.muster.close();

        soon().until(() -> other.names().contains("muster_nodes"));
    }

    /** It has no control connection, and would page somebody forever. */
    @Test
    void aProgramThatOnlyEnqueuesKnowsWhetherTheDatabaseAnswers() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MusterMeters meters = new MusterMeters();
        meters.bindTo(registry);
        try (Muster client = Muster.builder()
                .dataSource(database.dataSource())
                .telemetry(meters)
                .build()) {
            client.migrate();
            meters.observe(client);

            soon().until(() -> registry.scrape().contains("muster_database_up 1.0"));
        }
    }

    @Test
    void aNodeThatHasLeftDoesNotSayThatTheDatabaseIsDown() {
        MeteredNode node = new MeteredNode("a");
        soon().until(() -> node.names().contains("muster_nodes"));

        node.muster.close();

        assertThat(node.scrape()).doesNotContain("muster_database_up 0").contains("muster_database_up NaN");
    }
}
