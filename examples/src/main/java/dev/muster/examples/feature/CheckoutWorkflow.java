package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.examples.Checkout;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A workflow reserves, charges and ships an order, and undoes what it did if it cannot ship. The workflow itself is in the class
 * {@link Checkout}.
 *
 * <pre>
 * COMPLETED Receipt[order=7, reservation=r-7, cents=4200]
 * COMPENSATED null
 * order 0: reserve, charge, refund, release
 * order 7: reserve, charge, ship
 * </pre>
 */
final class CheckoutWorkflow implements Example {

    private static void checkOut(Workflows workflows, long order, PrintStream out) {
        JobId id = workflows.start(Checkout.CHECKOUT, new Checkout.Input(order));
        RunInfo run = workflows.await(id, Duration.ofSeconds(30)); // as it is then; look at run.status()
        out.println(run.status() + " " + workflows.result(Checkout.CHECKOUT, run));
    }

    @Override
    public void run(DataSource database, PrintStream out) throws SQLException {
        Checkout checkout = new Checkout(database);
        try (Muster muster =
                Muster.builder().dataSource(database).register(checkout).build()) {
            muster.start();
            checkOut(muster.workflows(), 7, out);
            checkOut(muster.workflows(), 0, out);
        }
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT order_id, string_agg(effect, ', ' ORDER BY id)"
                        + " FROM example_checkouts GROUP BY order_id ORDER BY order_id")) {
            while (rows.next()) {
                out.println("order " + rows.getLong(1) + ": " + rows.getString(2));
            }
        }
    }
}
