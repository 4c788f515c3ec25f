package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A cluster sees several versions for the first time at the same moment: a new database, for example. */
class NewestVersionIT extends WorkflowCluster {

    /** The newest version. */
    public static final class Tenth {
        @Workflow(name = "versions", version = "v10")
        String run(WorkflowContext wf) {
            return wf.version();
        }
    }

    /** Older ones, which are kept for the runs that they have. */
    public static final class Older {
        @Workflow(name = "versions", version = "v9")
        String ninth(WorkflowContext wf) {
            return wf.version();
        }

        @Workflow(name = "versions", version = "v2")
        String second(WorkflowContext wf) {
            return wf.version();
        }
    }

    @Test
    void newRunsGetTheOneWithTheHighestNumberInWhateverOrderTheyAreRegistered() {
        cluster.node(new Tenth(), new Older());

        assertThat(ended(workflows().start("versions", null)).result()).contains("\"v10\"");
    }

    @Test
    void theSameHoldsBeforeANodeIsUp() {
        cluster.register(new Tenth());
        cluster.register(new Older());

        assertThat(found(workflows().start("versions", null)).version()).isEqualTo("v10");
    }
}
