package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However a child ends, its parent is told; and a parent that ends takes its children with it. */
class ChildRunsIT extends WorkflowCluster {
    private static final WorkflowType<Void, String> CHILD = WorkflowType.of("child", Void.class, String.class);

    private static final WorkflowType<Slip, String> NOTE = WorkflowType.of("note", Slip.class, String.class);
    private static final WorkflowType<Slip, String> SHIP = WorkflowType.of("ship", Slip.class, String.class);

    /** The database stores its members in another order. */
    record Slip(String what, double price, List<String> to) {}

    /** A parent that waits for a child, which waits for an event. */
    public static final class Family {
        final List<String> effects = new CopyOnWriteArrayList<>();
        final AtomicBoolean broken = new AtomicBoolean();
        final AtomicBoolean noPaper = new AtomicBoolean();
        volatile WorkflowType<Slip, String> next = SHIP;

        @Workflow(name = "parent", version = "v1")
        String parent(WorkflowContext wf) {
            wf.step("begin").compensateWith("undo", "begin").run(step -> null);
            return "child: " + wf.child(CHILD, null);
        }

        @Workflow(name = "bare_parent", version = "v1")
        String bareParent(WorkflowContext wf) {
            return "child: " + wf.child(CHILD, null);
        }

        @Workflow(name = "child", version = "v1")
        String child(WorkflowContext wf) {
            wf.awaitEvent("go", String.class);
            return wf.step("work", String.class).retry(RetryPolicy.attempts(1)).run(step -> {
                if (broken.get()) {
                    throw new IllegalStateException("broken");
                }
                return "worked";
            });
        }

        @Workflow(name = "parent_of_careful", version = "v1")
        String parentOfCareful(WorkflowContext wf) {
            return "child: " + wf.child(WorkflowType.of("careful_child", Void.class, String.class), null);
        }

        /** Says nothing of the child's failure in what it throws. */
        @Workflow(name = "silent_parent", version = "v1")
        String silentParent(WorkflowContext wf, String child) {
            try {
                return wf.child(WorkflowType.of(child, Void.class, String.class), null);
            } catch (StepFailed e) {
                throw new IllegalStateException("no result");
            }
        }

        /** Continues without the child, and fails later. */
        @Workflow(name = "patient_parent", version = "v1")
        String patientParent(WorkflowContext wf) {
            try {
                return wf.child(WorkflowType.of("careful_child", Void.class, String.class), null);
            } catch (StepFailed e) {
                wf.step("go_on", () -> effects.add("continue"));
                if (broken.get()) {
                    throw new IllegalStateException("a mistake in the code");
                }
                return "without it";
            }
        }

        @Workflow(name = "careful_child", version = "v1")
        String carefulChild(WorkflowContext wf) {
            wf.step("begin").compensateWith("undo", "begin").run(step -> null);
            return wf.step("work", String.class).retry(RetryPolicy.attempts(1)).run(step -> {
                if (broken.get()) {
                    throw new IllegalStateException("broken");
                }
                return "worked";
            });
        }

        /** Charges, and then ships by a child; if that fails, a child says so. */
        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf) {
            try {
                wf.step("charge").retry(RetryPolicy.attempts(1)).run(step -> {
                    if (broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    return null;
                });
            } catch (StepFailed e) {
                try {
                    wf.child(NOTE, new Slip("failed", 1.50, List.of("a b", "c")));
                } catch (StepFailed another) {
                    effects.add("no note");
                }
                throw e;
            }
            return wf.child(next, new Slip("charged", 1.50, List.of("a b", "c")));
        }

        @Workflow(name = "note", version = "v1")
        String note(WorkflowContext wf, Slip slip) {
            return wf.step("write", String.class).retry(RetryPolicy.attempts(1)).run(step -> {
                if (noPaper.get()) {
                    throw new IllegalStateException("no paper");
                }
                effects.add("note " + slip.what());
                return "noted " + slip.what();
            });
        }

        @Workflow(name = "ship", version = "v1")
        String ship(WorkflowContext wf, Slip slip) {
            effects.add("ship " + slip.what());
            return "shipped " + slip.what();
        }

        @Compensation("undo")
        void undo(String what) {
            effects.add("undo " + what);
        }
    }

    private final Family family = new Family();

    private JobId childOf(JobId parent) {
        return await().atMost(SOON)
                .until(
                        () -> workflows().list(Workflows.RunQuery.all()).stream()
                                .filter(run -> run.parent().equals(java.util.Optional.of(parent)))
                                .map(RunInfo::id)
                                .findFirst()
                                .orElse(null),
                        java.util.Objects::nonNull);
    }

    /** A run that waits for its child, which waits for an event. */
    private JobId waitingParent(String workflow) {
        cluster.node(family);
        JobId parent = workflows().start(workflow, null);
        awaitStatus(childOf(parent), RunStatus.WAITING);
        awaitStatus(parent, RunStatus.WAITING);
        return parent;
    }

    @Test
    void aChildThatAnOperatorGivesUpFailsItsParentsStep() {
        JobId parent = waitingParent("parent");
        JobId child = childOf(parent);

        database.execute(
                "UPDATE muster_workflow_runs SET status = 'retired_unresumable', resolution_reason = 'v1 is gone'"
                        + " WHERE id = '" + child + "'");

        RunInfo info = ended(parent);
        assertThat(info.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(info.error().orElseThrow()).contains("ended as retired_unresumable: v1 is gone");
        assertThat(family.effects).containsExactly("undo begin");
    }

    @Test
    void aChildWhoseDriverDiedFailsItsParentsStep() {
        JobId parent = waitingParent("bare_parent");
        JobId child = childOf(parent);

        // As if its node had died too often: the driver is a dead letter.
        database.execute(deathOf(child));

        RunInfo info = ended(parent);
        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(info.error().orElseThrow()).contains("ended as failed: its node died");
    }

    private static String deathOf(JobId driver) {
        return "WITH dead AS (DELETE FROM muster_jobs WHERE id = '" + driver + "' RETURNING *)"
                + " INSERT INTO muster_job_history (id, name, queue, capability, priority, args, attempt, crashes, status, error,"
                + " created_at, finished_at, run_at)"
                + " SELECT id, name, queue, capability, priority, args, attempt, 5, 'failed', 'its node died', created_at,"
                + " muster_clock(), run_at FROM dead";
    }

    /** With something to compensate, and without: nobody executes the code that would ask the child to end. */
    @ParameterizedTest
    @ValueSource(strings = {"parent", "bare_parent"})
    void aParentWhoseDriverDiedTakesItsChildWithIt(String workflow) {
        JobId parent = waitingParent(workflow);
        JobId child = childOf(parent);

        database.execute(deathOf(parent));

        assertThat(ended(parent).status().isTerminal()).isTrue();
        assertThat(ended(child).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(found(child).reason().orElseThrow()).contains("its parent run " + parent);
    }

    @Test
    void aParentThatAnOperatorGivesUpTakesItsChildWithIt() {
        JobId parent = waitingParent("parent");
        JobId child = childOf(parent);

        assertThat(workflows().retire("parent", "v1", "v1 is gone")).isEqualTo(1);

        assertThat(ended(child).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(found(child).reason().orElseThrow()).contains("ended as retired_unresumable");
    }

    @Test
    void whoeverCancelsAParentCancelsItsChildren() {
        cluster.node(family);
        JobId parent = workflows().start("parent", null);
        JobId child = childOf(parent);
        awaitStatus(child, RunStatus.WAITING);

        workflows().cancel(parent, "not needed");

        assertThat(ended(parent).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        RunInfo info = ended(child);
        assertThat(info.status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(info.reason().orElseThrow()).contains("its parent run " + parent + " was cancelled");
    }

    @Test
    void aRetryOfTheParentRetriesTheChildThatFailed() {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("bare_parent", null);
        JobId child = childOf(parent);
        workflows().signal(child, "go", null);
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);
        assertThat(ended(child).status()).isEqualTo(RunStatus.FAILED);

        family.broken.set(false);
        assertThat(workflows().retry(parent)).isTrue();

        assertThat(ended(parent).result()).contains("\"child: worked\"");
        assertThat(workflows().retry(parent)).isFalse();
    }

    /** Once as it is, and once after retention has deleted it: its parent would only fail again in the same way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aParentWhoseChildWasUndoneIsNotRetried(boolean deleted) {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("parent_of_careful", null);
        JobId child = childOf(parent);
        assertThat(ended(child).status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);
        if (deleted) {
            database.execute("DELETE FROM muster_workflow_runs WHERE id = '" + child + "'");
        }

        family.broken.set(false);
        assertThatThrownBy(() -> workflows().retry(parent))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("step 0 failed because of the child run " + child + " ('careful_child')")
                .hasMessageContaining(deleted ? "is not stored any more" : "ended as compensated")
                .hasMessageEndingWith("start a new run instead");

        assertThat(found(parent).status()).isEqualTo(RunStatus.FAILED);
    }

    @Test
    void aRetryRetriesTheChildWhoseFailureTheCodeHasCaught() {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("silent_parent", "child");
        workflows().signal(childOf(parent), "go", null);
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);
        family.broken.set(false);

        assertThat(workflows().retry(parent)).isTrue();

        assertThat(ended(parent).result()).contains("\"worked\"");
    }

    @Test
    void aParentThatHidesThatItsChildWasUndoneIsNotRetried() {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("silent_parent", "careful_child");
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);

        assertThatThrownBy(() -> workflows().retry(parent))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("ended as compensated and does not run again");
    }

    @Test
    void aParentThatHasDealtWithAChildThatWasUndoneIsRetried() {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("patient_parent", null);
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);
        family.broken.set(false);

        assertThat(workflows().retry(parent)).isTrue();

        assertThat(ended(parent).result()).contains("\"without it\"");
        assertThat(family.effects).containsExactly("undo begin", "continue");
    }

    /** Alone it would be asked to end at once, because its parent has ended. */
    @Test
    void aChildWhoseParentHasFailedIsRetriedWithItsParentOnly() {
        family.broken.set(true);
        cluster.node(family);
        JobId parent = workflows().start("bare_parent", null);
        JobId child = childOf(parent);
        workflows().signal(child, "go", null);
        assertThat(ended(parent).status()).isEqualTo(RunStatus.FAILED);
        family.broken.set(false);

        assertThatThrownBy(() -> workflows().retry(child))
                .isInstanceOf(MusterException.class)
                .hasMessage("run " + child + " cannot be retried alone: its parent run " + parent
                        + " ended as failed, and asks its children to end; retry run " + parent
                        + ", and this one continues with it if its failure has ended it");

        assertThat(found(child).status()).isEqualTo(RunStatus.FAILED);
        assertThat(workflows().retry(parent)).isTrue();
        assertThat(ended(parent).result()).contains("\"child: worked\"");
    }

    private JobId failedOrder() {
        family.broken.set(true);
        cluster.node(family);
        JobId order = workflows().start("order", null);
        assertThat(ended(order).status()).isEqualTo(RunStatus.FAILED);
        return order;
    }

    /** Another workflow, or the same one with another input, stands where a child was that the retry has forgotten. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRetriedRunGetsTheChildThatItsCodeAsksFor(boolean sameWorkflow) {
        JobId order = failedOrder();
        family.broken.set(false);
        family.next = sameWorkflow ? NOTE : SHIP;

        assertThat(workflows().retry(order)).isTrue();

        assertThat(ended(order).result()).contains(sameWorkflow ? "\"noted charged\"" : "\"shipped charged\"");
        assertThat(family.effects).containsExactly("note failed", sameWorkflow ? "note charged" : "ship charged");
        assertThat(workflows().list(Workflows.RunQuery.all()))
                .allMatch(run -> run.status() == RunStatus.COMPLETED)
                .hasSize(3);
    }

    @Test
    void aChildThatHasCompletedIsNotStartedAgainWithTheSameInput() {
        JobId order = failedOrder();

        assertThat(workflows().retry(order)).isTrue();

        assertThat(ended(order).status()).isEqualTo(RunStatus.FAILED);
        assertThat(family.effects).containsExactly("note failed");
        family.broken.set(false);
        assertThat(workflows().retry(order)).isTrue();
        assertThat(ended(order).result()).contains("\"shipped charged\"");
        assertThat(family.effects).containsExactly("note failed", "ship charged");
    }

    /** Its failure was caught, so that the retry of its parent does not know yet whether the code comes to it again. */
    @Test
    void aChildThatHasFailedIsRetriedWhenTheCodeAsksForItAgain() {
        family.noPaper.set(true);
        JobId order = failedOrder();
        JobId note = childOf(order);
        assertThat(found(note).status()).isEqualTo(RunStatus.FAILED);
        family.noPaper.set(false);

        assertThat(workflows().retry(order)).isTrue();

        assertThat(ended(order).status()).isEqualTo(RunStatus.FAILED);
        assertThat(found(note).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(family.effects).containsExactly("no note", "note failed");
    }

    @Test
    void theListShowsTheNewestRunsFirstAlsoBesideChildren() {
        cluster.node(family);
        JobId parent = workflows().start("parent", null);
        JobId child = childOf(parent);
        JobId later = workflows().start("child", null);

        assertThat(workflows().list(Workflows.RunQuery.all()))
                .extracting(RunInfo::id)
                .first()
                .isEqualTo(later);
        assertThat(child.value().version()).isEqualTo(7);
    }
}
