package dev.muster.examples.feature;

import static dev.muster.examples.feature.WaitingWorkflow.SIGN_UP;
import static dev.muster.examples.feature.WaitingWorkflow.WELCOME;
import static dev.muster.testkit.MusterAssertions.assertThat;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;

import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import org.junit.jupiter.api.Test;

/** Tests of workflows: runs continue on the test's thread, and a week takes no time. */
@MusterTest(handlers = WaitingWorkflow.class)
class WorkflowTestExampleIT {

    @Test
    void aRunWithoutWaits(Cluster cluster) {
        assertThat(cluster.run(WELCOME, "Ada")).isEqualTo("Hello, Ada");
    }

    @Test
    void nobodyConfirmsForAWeek(Cluster cluster, Workflows workflows, FakeClock clock) {
        JobId id = workflows.start(SIGN_UP, "Ada");
        cluster.drain(); // runs it up to its wait
        assertThat(workflows.find(id).orElseThrow().awaiting()).containsExactly("confirmed");

        clock.advance(ofDays(7));
        cluster.drain(); // the time of the wait is over
        RunInfo run = workflows.find(id).orElseThrow();
        assertThat(workflows.result(SIGN_UP, run)).isEqualTo("Ada has not confirmed");
    }

    @Test
    void somebodyConfirms(Cluster cluster, Workflows workflows) {
        JobId id = workflows.start(SIGN_UP, "Ada");
        workflows.signal(id, "confirmed", "by mail");
        cluster.fastForward(ofMinutes(1)); // also past its sleep
        RunInfo run = workflows.find(id).orElseThrow();
        assertThat(workflows.result(SIGN_UP, run)).isEqualTo("Ada has mail and account; Hello, Ada");
    }
}
