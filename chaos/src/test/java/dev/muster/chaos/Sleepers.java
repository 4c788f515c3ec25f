package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Instant;
import javax.sql.DataSource;

/** A workflow that sleeps until a given time. */
public final class Sleepers implements MusterApp {

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(this);
    }

    @Workflow(name = "sleeper", version = "v1")
    void sleep(WorkflowContext wf, long untilMillis) {
        wf.sleepUntil(Instant.ofEpochMilli(untilMillis));
    }
}
