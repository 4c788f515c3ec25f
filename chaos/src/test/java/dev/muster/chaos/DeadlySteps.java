package dev.muster.chaos;

import dev.muster.MusterBuilder;
import dev.muster.job.JobId;
import dev.muster.testkit.TestDatabase;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.StepContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Workflows whose nodes die: one in each of its steps by the test's hand, others by a step that ends its process. */
public final class DeadlySteps implements ChaosApp {
    /** Twice as many as a run of each kind may see deaths without progress. */
    static final int LAPS = 10;

    static final int LAPS_OF_SPRINT = 4;

    private @Nullable StopPoints points;
    private @Nullable String nodeId;

    /** Makes the tables; once per database. */
    static void prepare(TestDatabase database) {
        StopPoints.prepare(database);
        database.execute("CREATE TABLE effects (run uuid NOT NULL, effect text NOT NULL, node text NOT NULL)");
    }

    @Override
    public void on(String node, String databaseUrl) {
        nodeId = node;
        points = new StopPoints(databaseUrl, node);
    }

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(this);
    }

    @Workflow(name = "marathon", version = "v1")
    void marathon(WorkflowContext wf) {
        run(wf, LAPS);
    }

    @Workflow(name = "sprint", version = "v1", maxCrashes = LAPS_OF_SPRINT / 2)
    void sprint(WorkflowContext wf) {
        run(wf, LAPS_OF_SPRINT);
    }

    private void run(WorkflowContext wf, int laps) {
        for (int i = 0; i < laps; i++) {
            String lap = "lap-" + i;
            wf.stepIn(lap, Void.class, connection -> {
                points.reach(wf.runId(), lap);
                return insert(connection, wf.runId(), lap);
            });
        }
    }

    @Workflow(name = "poison", version = "v1")
    void poison(WorkflowContext wf) {
        endItsProcess(wf);
    }

    @Workflow(name = "poison_twice", version = "v1", maxCrashes = 2)
    void poisonTwice(WorkflowContext wf) {
        endItsProcess(wf);
    }

    private void endItsProcess(WorkflowContext wf) {
        wf.step("reserve", Void.class)
                .compensateWith("release", null)
                .runIn(connection -> insert(connection, wf.runId(), "reserve"));
        wf.step("poison", () -> {
            points.reach(wf.runId(), "poison");
            Runtime.getRuntime().halt(137);
        });
    }

    @Compensation("release")
    void release(StepContext step, Connection connection) throws SQLException {
        insert(connection, step.runId(), "release");
    }

    private @Nullable Void insert(Connection connection, JobId run, String effect) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO effects (run, effect, node) VALUES (?, ?, ?)")) {
            insert.setObject(1, run.value());
            insert.setString(2, effect);
            insert.setString(3, nodeId);
            insert.executeUpdate();
            return null;
        }
    }
}
