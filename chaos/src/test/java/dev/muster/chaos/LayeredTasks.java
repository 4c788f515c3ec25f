package dev.muster.chaos;

import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Tasks in layers: each one leaves an effect in the transaction in which it completes, and returns its layer. */
public final class LayeredTasks implements MusterApp {

    /** @param below the results of the task's parents, which are one layer below */
    record Layered(String task, int layer, List<Integer> below) {}

    /** Makes the table; once per database. */
    static void prepare(TestDatabase database) {
        database.execute(
                "CREATE TABLE task_effects (id bigserial PRIMARY KEY, task text NOT NULL, node text NOT NULL)");
    }

    @Override
    public void register(Muster.Builder node, DataSource database) {
        node.register(this);
    }

    @Job(value = "layered", maxCrashes = 100)
    void layered(JobContext context, Layered task) throws SQLException {
        if (task.below().stream().anyMatch(result -> result != task.layer() - 1)) {
            throw new IllegalStateException("wrong inputs: " + task);
        }
        try (Connection connection = context.connection()) {
            connection.setAutoCommit(false);
            // Long enough for nodes to be killed while tasks run.
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO task_effects (task, node) SELECT ?, ? FROM pg_sleep(0.02)")) {
                insert.setString(1, task.task());
                insert.setString(2, context.nodeId());
                insert.executeUpdate();
            }
            context.completeIn(connection, task.layer());
            connection.commit();
        }
    }

    @Job(value = "broken", maxAttempts = 1, maxCrashes = 100)
    void broken() {
        throw new IllegalStateException("as asked");
    }
}
