package dev.muster.bench;

import dev.muster.bench.contender.FiveSteps;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;

/** {@link FiveSteps} as a workflow of Muster. */
public final class AddingWorkflow {
    static final WorkflowType<Payload, Integer> TYPE = WorkflowType.of("five-steps", Payload.class, Integer.class);

    private final Handled handled;

    AddingWorkflow(Handled handled) {
        this.handled = handled;
    }

    @Workflow(name = "five-steps", version = "v1")
    int run(WorkflowContext wf, Payload payload) {
        handled.begin();
        int sum = payload.order();
        for (int i = 1; i <= FiveSteps.STEPS; i++) {
            int before = sum;
            int number = i;
            sum = wf.step("step-" + i, Integer.class, step -> FiveSteps.step(before, number));
        }
        handled.one();
        return sum;
    }
}
