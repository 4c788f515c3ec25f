package dev.muster.chaos;

import dev.muster.MusterBuilder;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Workflows for operators to pause, cancel and retry: each of those that are paused by itself, a parent with many children, and families that fail. */
public final class Managed implements ChaosApp {
    private static final WorkflowType<Void, String> RELATIVE = WorkflowType.of("relative", Void.class, String.class);

    private @Nullable DataSource database;

    @Override
    public void on(String node, String databaseUrl) {}

    @Override
    public void register(MusterBuilder node, DataSource source) {
        database = source;
        node.register(this);
    }

    @Workflow(name = "paused_1", version = "v1")
    void paused1(WorkflowContext wf) {}

    @Workflow(name = "paused_2", version = "v1")
    void paused2(WorkflowContext wf) {}

    @Workflow(name = "paused_3", version = "v1")
    void paused3(WorkflowContext wf) {}

    @Workflow(name = "paused_4", version = "v1")
    void paused4(WorkflowContext wf) {}

    @Workflow(name = "paused_5", version = "v1")
    void paused5(WorkflowContext wf) {}

    /** Its children are inserted. */
    @Workflow(name = "holder", version = "v1")
    void holder(WorkflowContext wf) {
        wf.awaitEvent("never", String.class);
    }

    @Workflow(name = "leaf", version = "v1")
    void leaf(WorkflowContext wf) {
        wf.awaitEvent("never", String.class);
    }

    /** A child of a run that is retired. */
    @Workflow(name = "left", version = "v1")
    void left(WorkflowContext wf) {
        wf.awaitEvent("never", String.class);
    }

    @Workflow(name = "family", version = "v1")
    String family(WorkflowContext wf) {
        return String.valueOf(wf.child(RELATIVE, null));
    }

    /** Fails while there is something in the table {@code broken}. */
    @Workflow(name = "relative", version = "v1")
    String relative(WorkflowContext wf) {
        return String.valueOf(wf.step("look", String.class, step -> {
            if (broken()) {
                throw new IllegalStateException("broken");
            }
            return "mended";
        }));
    }

    private boolean broken() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT FROM broken")) {
            return rows.next();
        }
    }
}
