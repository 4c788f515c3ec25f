package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.job.Job;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import javax.sql.DataSource;

/** A job that is open to tenants, and a run that waits for a day. */
public final class AttackedShop implements MusterApp {
    @Override
    public void register(MusterBuilder node, DataSource connections) {
        node.register(this);
    }

    @Job(value = "greet", tenants = true)
    void greet() {}

    @Workflow(name = "order", version = "1")
    void order(WorkflowContext ctx, String input) {
        ctx.sleep(Duration.ofDays(1));
    }
}
