package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** A workflow whose code a test exchanges between two executions of a run. */
abstract class ExchangedCode extends WorkflowCluster {

    /** A workflow whose code a test exchanges between two executions. */
    public static final class Exchangeable {
        final List<String> effects = new CopyOnWriteArrayList<>();
        volatile BiFunction<Exchangeable, WorkflowContext, Object> code = (self, wf) -> null;

        @Workflow(name = "changing", version = "v1")
        Object changing(WorkflowContext wf) {
            return code.apply(this, wf);
        }

        void effect(WorkflowContext wf, String name) {
            wf.step(name, () -> effects.add(name));
        }

        @Compensation("undo")
        void undo(String what) {
            effects.add("undo " + what);
        }
    }

    public static final class Counting {
        @Workflow(name = "counting", version = "v1")
        String count(WorkflowContext wf) {
            return "many";
        }
    }

    final Exchangeable workflow = new Exchangeable();

    /** Runs the first code until it sleeps, and then the second one. */
    final JobId changed(
            BiFunction<Exchangeable, WorkflowContext, Object> before,
            BiFunction<Exchangeable, WorkflowContext, Object> after) {
        workflow.code = before;
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        awaitStatus(run, RunStatus.SLEEPING);
        workflow.code = after;
        cluster.clock().advance(Duration.ofHours(1));
        return run;
    }

    final void isBlockedBecause(JobId run, String reason) {
        awaitStatus(run, RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        assertThat(found(run).reason().orElseThrow()).contains(reason);
    }

    static Object stepsAndSleep(Exchangeable self, WorkflowContext wf) {
        self.effect(wf, "one");
        self.effect(wf, "two");
        wf.sleep(Duration.ofHours(1));
        self.effect(wf, "three");
        return "done";
    }

    final RunInfo runOnce(BiFunction<Exchangeable, WorkflowContext, Object> code) {
        workflow.code = code;
        cluster.node(workflow);
        return ended(workflows().start("changing", null));
    }

    static String refusal(Runnable call) {
        try {
            call.run();
            return "none";
        } catch (MusterException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
