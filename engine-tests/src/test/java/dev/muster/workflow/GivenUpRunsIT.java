package dev.muster.workflow;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An operator gives up a run by an UPDATE of its row while a node executes it. */
class GivenUpRunsIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    /** Two steps; the first one waits until it may continue. */
    public static final class Order {
        final List<String> effects = new CopyOnWriteArrayList<>();
        final CountDownLatch inFirst = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final CountDownLatch returned = new CountDownLatch(1);

        @Workflow(name = "plain", version = "v1")
        String plain(WorkflowContext wf) {
            try {
                wf.step("first", Void.class).compensateWith("undo", null).run(step -> first());
                wf.step("second", () -> effects.add("second"));
                return "done";
            } finally {
                returned.countDown();
            }
        }

        @Workflow(name = "in_transaction", version = "v1")
        String inTransaction(WorkflowContext wf) {
            try {
                wf.step("first", Void.class).compensateWith("undo", null).runIn(connection -> {
                    insert(connection, "first");
                    return first();
                });
                wf.stepIn("second", Void.class, connection -> insert(connection, "second"));
                return "done";
            } finally {
                returned.countDown();
            }
        }

        @Workflow(name = "last_step", version = "v1")
        String lastStep(WorkflowContext wf) throws InterruptedException {
            try {
                wf.step("only", () -> effects.add("only"));
                first();
                return "done";
            } finally {
                returned.countDown();
            }
        }

        private @Nullable Void first() throws InterruptedException {
            effects.add("first");
            inFirst.countDown();
            goOn.await();
            return null;
        }

        private static @Nullable Void insert(Connection connection, String what) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO effects VALUES ('" + what + "')");
            }
            return null;
        }

        @Compensation("undo")
        void undo() {
            effects.add("undo");
        }
    }

    private final Order order = new Order();

    /** The run of this workflow, given up while its first step runs, after which the step continues. */
    private RunInfo givenUp(String workflow, Muster node) throws InterruptedException {
        database.execute("CREATE TABLE effects (what text)");
        JobId run = node.workflows().start(workflow, null);
        assertThat(order.inFirst.await(90, TimeUnit.SECONDS)).isTrue();
        database.execute(
                "UPDATE muster_workflow_runs SET status = 'retired_unresumable', resolution_reason = 'given up'"
                        + " WHERE workflow_name = '" + workflow + "' AND workflow_version = 'v1' AND status NOT IN"
                        + " ('completed','compensated','failed','retired_unresumable','cancelled_by_operator')");
        order.goOn.countDown();
        // Its driver gives up without a word, and ends when it is claimed again.
        assertThat(order.returned.await(90, TimeUnit.SECONDS)).isTrue();
        timePasses(Duration.ofMinutes(2));
        await("the end of its driver")
                .atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs") == 0);
        nothingHappensFor(
                Duration.ofMillis(300), () -> assertThat(order.effects).doesNotContain("second", "undo"));
        return node.workflows().find(run).orElseThrow();
    }

    private void assertRetired(RunInfo run) {
        assertThat(run.status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(run.reason()).contains("given up");
        assertThat(run.result()).isEmpty();
    }

    @Test
    void storesNothingMoreAndRunsNoFurtherStep() throws InterruptedException {
        Muster node = node(order);

        RunInfo run = givenUp("plain", node);

        assertRetired(run);
        assertThat(node.workflows().steps(run.id())).isEmpty();
        assertThat(order.effects).containsExactly("first");
    }

    @Test
    void anEffectInTheStepsTransactionIsRolledBack() throws InterruptedException {
        Muster node = node(order);

        RunInfo run = givenUp("in_transaction", node);

        assertRetired(run);
        assertThat(node.workflows().steps(run.id())).isEmpty();
        assertThat(database.column("SELECT what FROM effects")).isEmpty();
    }

    @Test
    void theEndOfItsCodeChangesNothing() throws InterruptedException {
        RunInfo run = givenUp("last_step", node(order));

        assertRetired(run);
    }
}
