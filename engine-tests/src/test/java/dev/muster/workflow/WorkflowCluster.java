package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.engine.ClusterIT;
import dev.muster.job.JobId;
import java.time.Duration;

/** A database and a cluster for tests of workflows. */
abstract class WorkflowCluster extends ClusterIT {
    static final Duration SOON = Duration.ofSeconds(90);

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
