package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database and a cluster for tests of workflows. */
abstract class WorkflowCluster {
    static final Duration SOON = Duration.ofSeconds(30);

    TestDatabase database;
    Cluster cluster;

    @BeforeEach
    void create() throws SQLException {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, Map.of());
        cluster.client();
    }

    @AfterEach
    void drop() {
        cluster.close();
        database.close();
    }

    final Workflows workflows() {
        return cluster.client().workflows();
    }

    final RunInfo ended(JobId run) {
        RunInfo info = workflows().await(run, SOON);
        assertThat(info.status().isTerminal())
                .as(info + "\n" + workflows().steps(run))
                .isTrue();
        return info;
    }

    final RunInfo found(JobId run) {
        return workflows().find(run).orElseThrow();
    }

    final void awaitStatus(JobId run, RunStatus status) {
        await().atMost(SOON).until(() -> found(run).status() == status);
    }
}
