package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import javax.sql.DataSource;

/** Applications before and after a deployment that removes a version of a workflow. */
final class Waiters {
    private Waiters() {}

    /** Has version v1 alone. */
    public static final class Before implements MusterApp {
        @Override
        public void register(MusterBuilder node, DataSource database) {
            node.register(this);
        }

        @Workflow(name = "approval", version = "v1")
        String approval(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("approved", String.class));
        }
    }

    /** Has version v2 alone. */
    public static final class After implements MusterApp {
        @Override
        public void register(MusterBuilder node, DataSource database) {
            node.register(this);
        }

        @Workflow(name = "approval", version = "v2")
        String approval(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("approved", String.class));
        }
    }
}
