package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** Tasks in layers: each one leaves an effect in the transaction in which it completes, and returns its layer. */
public final class LayeredTasks implements MusterApp {
    private DataSource database;

    /** @param below the results of the task's parents, which are one layer below */
    record Layered(String task, int layer, List<Integer> below) {}

    /** Makes the table; once per database. */
    static void prepare(TestDatabase database) {
        database.execute(
                "CREATE TABLE task_effects (id bigserial PRIMARY KEY, task text NOT NULL, node text NOT NULL)");
        database.execute("CREATE TABLE task_stops (task text PRIMARY KEY, node text)");
    }

    /** The first node that runs this task stands still in it, with an effect that is not committed, until it is killed. */
    static void stopIn(TestDatabase database, String task) {
        database.execute("INSERT INTO task_stops (task) VALUES ('" + task + "')");
    }

    /** The node that stands still in this task; nothing if none does yet. */
    static Optional<String> standingIn(TestDatabase database, String task) {
        return database.column("SELECT node FROM task_stops WHERE node IS NOT NULL AND task = '" + task + "'").stream()
                .findFirst();
    }

    @Override
    public void register(MusterBuilder node, DataSource connections) {
        database = connections;
        node.register(this);
    }

    @Job(value = "layered", maxCrashes = 100)
    void layered(JobContext context, Layered task) throws SQLException, InterruptedException {
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
            if (isToStopIn(task.task(), context.nodeId())) {
                new CountDownLatch(1).await();
            }
            context.completeIn(connection, task.layer());
            connection.commit();
        }
    }

    private boolean isToStopIn(String task, String node) throws SQLException {
        try (Connection own = database.getConnection();
                PreparedStatement stop =
                        own.prepareStatement("UPDATE task_stops SET node = ? WHERE task = ? AND node IS NULL")) {
            stop.setString(1, node);
            stop.setString(2, task);
            return stop.executeUpdate() == 1;
        }
    }

    @Job(value = "broken", maxAttempts = 1, maxCrashes = 100)
    void broken() {
        throw new IllegalStateException("as asked");
    }
}
