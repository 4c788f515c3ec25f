package dev.muster.cli.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Greetings;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.leader.LeaderRole;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ClusterIT extends OnTestDatabase {
    private Muster node;

    @BeforeEach
    void start() {
        node = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .set("node.id", "n1")
                .set("leader.lease", "5m")
                .set("cluster.heartbeat_interval", "30s")
                .set("cluster.stale_threshold", "2m")
                .set("cluster.dead_threshold", "5m")
                .register(new Greetings())
                .build();
        node.start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void showsTheClusterAtAGlance() {
        await().until(() -> Arrays.stream(LeaderRole.values())
                .allMatch(role -> node.leadership(role).isLeader()));
        node.queues().pause("default");
        node.jobs().enqueue("my_task", new MyTask("x"));

        JsonNode status =
                Cli.on(database, "cluster", "status", "-o", "json").done().json();
        assertThat(status.at("/nodes/active").asInt()).isEqualTo(1);
        assertThat(status.at("/nodes/dead").asInt()).isZero();
        assertThat(status.at("/leaders/0/node").asString()).isEqualTo("n1");
        assertThat(status.at("/backlog/pending").asInt()).isEqualTo(1);
        assertThat(status.at("/paused_queues/0").asString()).isEqualTo("default");
        assertThat(Cli.on(database, "cluster", "status").done().out())
                .contains("nodes    1 active", "scheduler on n1", "backlog  1 pending", "paused   default")
                .containsPattern("warning  Queue default has been paused for .+, and 1 job waits in it: resume it");
        assertThat(status.at("/attention/0/kind").asString()).isNotEmpty();
        // Overdue, though nobody has declared it dead yet.
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at) VALUES ('silent', gen_random_uuid(), 'active', clock_timestamp() - interval '10 minutes',"
                + " interval '5 s', clock_timestamp())");
        assertThat(Cli.on(database, "cluster", "status").done().out()).contains("nodes    1 active, 1 dead");
        database.execute("DELETE FROM muster_nodes WHERE id = 'silent'");

        JsonNode leader = Cli.on(database, "cluster", "leaders", "-o", "json")
                .done()
                .json()
                .get(2);
        assertThat(leader.get("role").asString()).isEqualTo("scheduler");
        assertThat(leader.get("term").asLong()).isEqualTo(1);
        assertThat(leader.get("held").asBoolean()).isTrue();
        assertThat(leader.get("since").asString()).isNotBlank();
        assertThat(leader.get("expires_at").asString()).isNotBlank();
        assertThat(Cli.on(database, "cluster", "leaders").done().out()).contains("ROLE", "scheduler", "n1");
    }

    @Test
    void drainsANode() throws Exception {
        Cli.on(database, "cluster", "drain", "n2").failed(ExitCode.FAILED, "there is no live node 'n2'; there are n1");

        JsonNode told =
                Cli.on(database, "cluster", "drain", "n1", "-o", "json").done().json();
        assertThat(told.get("status").asString()).isEqualTo("draining");
        node.awaitDrained();

        assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
        Cli.on(database, "cluster", "drain", "n1").failed(ExitCode.FAILED, "there are none at all");
    }
}
