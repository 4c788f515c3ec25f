package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.examples.Greetings;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Jobs of groups: each one leaves an effect in the transaction in which it completes. That it has left is
 * committed with the effect as well, because its place is free from then on; the {@link Probe} tells the witness the rest.
 */
public final class GroupedJobs implements MusterApp {
    static final int AT_ONCE = 3;
    static final int RUN_MILLIS = 100;

    record Lined(String key, int number) {}

    /** Makes the table; once per database. */
    static void prepare(TestDatabase database) {
        database.execute(
                "CREATE TABLE grouped_effects (id bigserial PRIMARY KEY, key text NOT NULL, number int NOT NULL)");
    }

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(this);
        node.register(new Greetings());
    }

    @Job(value = "limited", maxConcurrent = AT_ONCE, concurrencyKey = "key", maxCrashes = 100)
    void limited(JobContext context, Lined job) throws SQLException {
        run(context, job);
    }

    @Job(value = "in_order", ordered = true, concurrencyKey = "key", maxCrashes = 100)
    void inOrder(JobContext context, Lined job) throws SQLException {
        run(context, job);
    }

    private static void run(JobContext context, Lined job) throws SQLException {
        try (Connection connection = context.connection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement effect = connection.prepareStatement(
                    "INSERT INTO grouped_effects (key, number) SELECT ?, ? FROM pg_sleep(?)")) {
                effect.setString(1, job.key());
                effect.setInt(2, job.number());
                effect.setDouble(3, RUN_MILLIS / 1_000.0);
                effect.executeUpdate();
            }
            context.completeIn(connection, null);
            tellThatItLeaves(connection, context);
            connection.commit();
        }
    }

    private static void tellThatItLeaves(Connection connection, JobContext context) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO witness_effects (job, node, token, step) VALUES (?, ?, ?, 'left')")) {
            insert.setObject(1, context.id().value());
            insert.setString(2, context.nodeId());
            insert.setLong(3, context.fence().token());
            insert.executeUpdate();
        }
    }
}
