package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.RetryPolicy;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A handler commits its write and the completion of its job together, so that the effect happens exactly once. Here the
 * first attempt fails half-way, and its write is rolled back.
 *
 * <pre>
 * COMPLETED on attempt 2
 * balance: 100
 * </pre>
 */
final class CompleteInTransaction implements Example {

    private static void deposit(JobContext ctx, int cents) throws SQLException {
        try (Connection connection = ctx.connection();
                PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = balance + ?")) {
            connection.setAutoCommit(false);
            update.setInt(1, cents);
            update.executeUpdate();
            if (ctx.attempt() == 1) {
                connection.rollback();
                throw new IllegalStateException("something else went wrong");
            }
            ctx.completeIn(connection); // throws ClaimLost if another node runs this job by now
            connection.commit();
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) throws SQLException {
        JobHandler handler = JobHandler.named("deposit")
                .args(Integer.class)
                .retry(RetryPolicy.fixed(3, Duration.ofMillis(50)))
                .run(CompleteInTransaction::deposit);
        try (Muster muster =
                        Muster.builder().dataSource(database).register(handler).build();
                Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account AS SELECT 0 AS balance");
            muster.start();
            var job = muster.jobs().await(muster.jobs().enqueue("deposit", 100), Duration.ofSeconds(30));
            out.println(job.status() + " on attempt " + job.attempt());
            try (ResultSet rows = statement.executeQuery("SELECT balance FROM account")) {
                rows.next();
                out.println("balance: " + rows.getInt(1));
            }
        }
    }
}
