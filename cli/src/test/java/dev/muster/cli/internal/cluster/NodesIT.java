package dev.muster.cli.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.config.MusterConfig;
import dev.muster.examples.ExampleApp;
import dev.muster.job.Job;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class NodesIT extends OnTestDatabase {
    @Test
    void listsNodes() {
        assertThat(Cli.on(database, "cluster", "nodes").done().out().strip()).isEqualTo("no nodes");
        MusterBuilder builder = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .version("2.4.1")
                .set("node.labels", "zone=eu,disk=ssd");
        new ExampleApp().register(builder, database.dataSource());
        try (Muster node = builder.build()) {
            node.start();
            JsonNode list =
                    Cli.on(database, "cluster", "nodes", "-o", "json").done().json();
            assertThat(list.size()).isEqualTo(1);
            JsonNode entry = list.get(0);
            assertThat(entry.get("id").asString()).isEqualTo(node.nodeId());
            assertThat(entry.get("status").asString()).isEqualTo("active");
            assertThat(entry.get("roles"))
                    .extracting(JsonNode::asString)
                    .containsExactly("gateway", "function", "worker", "scheduler");
            assertThat(entry.get("current_connections").asInt()).isNotNegative();
            assertThat(entry.get("capabilities").get(0).asString()).isEqualTo("general");
            assertThat(entry.get("version").asString()).isEqualTo("2.4.1");
            assertThat(entry.get("labels").get("zone").asString()).isEqualTo("eu");
            assertThat(entry.get("labels").size()).isEqualTo(2);
            assertThat(entry.get("handlers")).extracting(JsonNode::asString).contains("hello", "process_order");
            assertThat(entry.get("heartbeat_interval_ms").asLong()).isPositive();
            assertThat(entry.get("current_jobs").asInt()).isZero();
            assertThat(Instant.parse(entry.get("last_heartbeat").asString())).isNotNull();
            assertThat(Cli.on(database, "cluster", "nodes").out())
                    .contains(node.nodeId(), "active", "2.4.1", "disk=ssd,zone=eu", "ago, every ");
            assertThat(Cli.on(database, "cluster", "nodes").out())
                    .as("of nodes with one executor")
                    .doesNotContain("EXECUTORS");
            database.execute("UPDATE muster_nodes SET version = NULL");
            assertThat(Cli.on(database, "cluster", "nodes", "-o", "json")
                            .done()
                            .json()
                            .get(0)
                            .get("version")
                            .isNull())
                    .as("of a node that does not tell")
                    .isTrue();
        }
    }

    static final class Work {
        @Job("ml::train")
        void train() {}

        @Job("mail::send")
        void send() {}

        @Job("report")
        void report() {}
    }

    @Test
    void showsExecutorsAndHandlersThatNoneOfThemRuns() {
        try (Muster node = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .set("executors.default.size", "16")
                .set("executors.gpu.size", "2")
                .set("routing.rules", "ml::*=gpu,mail::*=default")
                .set("routing.default", "none")
                .register(new Work())
                .build()) {
            node.start();

            JsonNode entry = Cli.on(database, "cluster", "nodes", "-o", "json")
                    .done()
                    .json()
                    .get(0);

            assertThat(entry.get("unrouted")).extracting(JsonNode::asString).containsExactly("report");
            assertThat(entry.get("handlers")).extracting(JsonNode::asString).containsExactly("mail::send", "ml::train");
            assertThat(entry.get("executors"))
                    .extracting(it -> it.get("name").asString() + " "
                            + it.get("kind").asString() + " " + it.get("size").asInt())
                    .containsExactly("default threads 16", "gpu threads 2");
            assertThat(Cli.on(database, "cluster", "nodes").done().out())
                    .contains("EXECUTORS", "default 0/16, gpu 0/2");
        }
    }

    /** Rows as nodes write them. */
    @Test
    void showsWhatRunsAndWhatIsStuckOnExecutors() {
        insertNode(
                "a",
                "{\"default\": {\"kind\": \"threads\", \"size\": 16, \"running\": 3, \"stuck\": 0},"
                        + " \"gpu\": {\"kind\": \"threads\", \"size\": 2, \"running\": 2, \"stuck\": 1}}");
        insertNode("b", "{\"default\": {\"kind\": \"virtual\", \"size\": 1000, \"running\": 7, \"stuck\": 0}}");
        insertNode("client", "{}");

        JsonNode gpu =
                Cli.on(database, "cluster", "nodes", "-o", "json").done().json().at("/0/executors/1");
        assertThat(gpu.get("running").asInt()).isEqualTo(2);
        assertThat(gpu.get("stuck").asInt()).isEqualTo(1);
        assertThat(Cli.on(database, "cluster", "nodes").done().out())
                .contains("default 3/16, gpu 2/2 (1 stuck)", "default 7/1000");

        assertThat(Cli.on(database, "cluster", "status").done().out())
                .contains("slots    default 10/1016, gpu 2/2 (1 stuck)");
        JsonNode sums = Cli.on(database, "cluster", "status", "-o", "json")
                .done()
                .json()
                .get("executors");
        assertThat(sums)
                .extracting(JsonNode::toString)
                .containsExactly(
                        "{\"name\":\"default\",\"size\":1016,\"running\":10,\"stuck\":0}",
                        "{\"name\":\"gpu\",\"size\":2,\"running\":2,\"stuck\":1}");

        assertThat(database.column("SELECT executors #>> '{gpu,stuck}' FROM muster_cluster WHERE id = 'a'"))
                .containsExactly("1");

        database.execute("DELETE FROM muster_nodes WHERE id = 'a'");
        assertThat(Cli.on(database, "cluster", "nodes").done().out()).doesNotContain("EXECUTORS");
        assertThat(Cli.on(database, "cluster", "status").done().out()).doesNotContain("slots");
    }

    private void insertNode(String id, String executors) {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at, executors) VALUES ('" + id + "', gen_random_uuid(), 'active', clock_timestamp(),"
                + " interval '60 s', clock_timestamp(), '" + executors + "')");
    }
}
