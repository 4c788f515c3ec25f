package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One branch of a run loses its connection while another one is at work. */
class BrokenBranchIT extends WorkflowCluster {

    /** The first time, the second branch ends its own session once the first one is in its step. */
    public static final class TwoBranches {
        private final CountDownLatch inFirst = new CountDownLatch(1);
        private final AtomicInteger entered = new AtomicInteger();

        @Workflow(name = "two_branches", version = "v1")
        String run(WorkflowContext wf) {
            wf.parallel(List.of(this::first, this::second));
            return "done";
        }

        private Void first(WorkflowContext branch) {
            return branch.step("first", Void.class)
                    .retry(RetryPolicy.attempts(1))
                    .run(step -> {
                        if (entered.incrementAndGet() == 1) {
                            inFirst.countDown();
                            // Until the run cannot continue, and this thread is interrupted.
                            new CountDownLatch(1).await();
                        }
                        return null;
                    });
        }

        private Void second(WorkflowContext branch) {
            return branch.step("second", Void.class)
                    .retry(RetryPolicy.attempts(1))
                    .runIn(connection -> {
                        inFirst.await();
                        if (entered.get() == 1) {
                            endSession(connection);
                        }
                        return null;
                    });
        }

        private static void endSession(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
            }
        }
    }

    @Test
    void theOtherBranchIsNotChargedForIt() {
        TwoBranches branches = new TwoBranches();
        cluster.node(branches);
        JobId run = workflows().start("two_branches", null);

        RunInfo info = ended(run);

        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().steps(run)).extracting(StepInfo::attempt).containsOnly(1);
        assertThat(branches.entered).hasValue(2);
    }
}
