package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.function.Query;
import dev.muster.job.Job;
import dev.muster.job.RawJson;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import javax.sql.DataSource;

/** An application that takes whatever it is given. */
public final class GrowingValues implements MusterApp {
    @Override
    public void register(MusterBuilder node, DataSource connections) {
        node.register(this);
    }

    @Job("work")
    RawJson work(RawJson value) {
        return value;
    }

    @Workflow(name = "order", version = "v1")
    Object order(WorkflowContext wf, Object input) {
        return wf.awaitEvent("go", Object.class);
    }

    @Query
    RawJson echo(RawJson args) {
        return args;
    }
}
