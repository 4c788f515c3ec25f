package dev.muster.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.config.MusterConfig;
import dev.muster.examples.ExampleApp;
import dev.muster.testkit.TestDatabase;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class NodesIT {
    private TestDatabase database;

    @BeforeEach
    void create() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void listsNodes() {
        assertThat(Cli.on(database, "cluster", "nodes").done().out().strip()).isEqualTo("no nodes");
        Muster.Builder builder = Muster.builder()
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
}
