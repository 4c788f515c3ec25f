package dev.muster.chaos;

import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Jobs of lines: each one leaves an effect in the transaction in which it completes. While it runs, its session holds one of as many
 * advisory locks of its key as jobs may run; a job that finds none is one too many.
 */
public final class LinedJobs implements MusterApp {
    static final int AT_ONCE = 3;

    record Lined(String key, int number) {}

    /** Makes the tables; once per database. */
    static void prepare(TestDatabase database) {
        database.execute(
                "CREATE TABLE lined_effects (id bigserial PRIMARY KEY, key text NOT NULL, number int NOT NULL)");
        database.execute("CREATE TABLE one_too_many (key text NOT NULL, number int NOT NULL)");
    }

    @Override
    public void register(Muster.Builder node, DataSource database) {
        node.register(this);
    }

    @Job(value = "limited", maxConcurrent = AT_ONCE, concurrencyKey = "key", maxCrashes = 100)
    void limited(JobContext context, Lined job) throws SQLException {
        run(context, job, AT_ONCE);
    }

    @Job(value = "in_order", ordered = true, concurrencyKey = "key", maxCrashes = 100)
    void inOrder(JobContext context, Lined job) throws SQLException {
        run(context, job, 1);
    }

    private static void run(JobContext context, Lined job, int most) throws SQLException {
        try (Connection connection = context.connection()) {
            int lock = lock(connection, job, most);
            connection.setAutoCommit(false);
            // Long enough for nodes to be killed while jobs run.
            insert(
                    connection,
                    lock == 0
                            ? "INSERT INTO one_too_many (key, number) VALUES (?, ?)"
                            : "INSERT INTO lined_effects (key, number) SELECT ?, ? FROM pg_sleep(0.01)",
                    job);
            context.completeIn(connection, null);
            if (lock > 0) {
                // Its place is free with the commit, so it counts no more from before that on.
                ask(connection, "SELECT pg_advisory_unlock(hashtext(?), " + lock + ")", job.key());
            }
            connection.commit();
        }
    }

    /** The number of a lock that was free; 0 if there was none. */
    private static int lock(Connection connection, Lined job, int most) throws SQLException {
        for (int lock = 1; lock <= most; lock++) {
            if (ask(connection, "SELECT pg_try_advisory_lock(hashtext(?), " + lock + ")", job.key())) {
                return lock;
            }
        }
        return 0;
    }

    private static void insert(Connection connection, String sql, Lined job) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, job.key());
            insert.setInt(2, job.number());
            insert.executeUpdate();
        }
    }

    private static boolean ask(Connection connection, String sql, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, key);
            ResultSet rows = statement.executeQuery();
            return rows.next() && rows.getBoolean(1);
        }
    }
}
