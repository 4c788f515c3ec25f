package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Enqueues a job in your own transaction, so that it exists if and when you commit. There is no order without its job, and
 * no job without its order.
 *
 * <pre>
 * committed: COMPLETED
 * rolled back: no such job
 * </pre>
 */
final class EnqueueInTransaction implements Example {

    @Job("confirm_order")
    void confirm(long order) {}

    @Override
    public void run(DataSource database, PrintStream out) throws SQLException {
        try (Muster muster =
                        Muster.builder().dataSource(database).register(this).build();
                Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            muster.start();
            statement.execute("CREATE TABLE orders (id bigint PRIMARY KEY)");
            connection.setAutoCommit(false);

            statement.execute("INSERT INTO orders VALUES (42)");
            JobId committed = muster.jobs().in(connection).enqueue("confirm_order", 42);
            connection.commit();

            statement.execute("INSERT INTO orders VALUES (43)");
            JobId rolledBack = muster.jobs().in(connection).enqueue("confirm_order", 43);
            connection.rollback();

            out.println("committed: "
                    + muster.jobs().await(committed, Duration.ofSeconds(30)).status());
            out.println("rolled back: "
                    + muster.jobs().find(rolledBack).map(Object::toString).orElse("no such job"));
        }
    }
}
