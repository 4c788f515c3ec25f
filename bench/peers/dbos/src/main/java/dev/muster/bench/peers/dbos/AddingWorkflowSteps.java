package dev.muster.bench.peers.dbos;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.workflow.Workflow;
import dev.muster.bench.contender.FiveSteps;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;

/** {@link FiveSteps} as a workflow of DBOS. */
public final class AddingWorkflowSteps implements AddingWorkflow {
    static final String NAME = "five-steps";

    private final DBOS dbos;
    private final Handled handled;

    AddingWorkflowSteps(DBOS dbos, Handled handled) {
        this.dbos = dbos;
        this.handled = handled;
    }

    @Override
    @Workflow(name = NAME)
    public int run(Payload payload) {
        handled.begin();
        int sum = payload.order();
        for (int i = 1; i <= FiveSteps.STEPS; i++) {
            int before = sum;
            int number = i;
            sum = dbos.runStep(() -> FiveSteps.step(before, number), "step-" + i);
        }
        handled.one();
        return sum;
    }
}
