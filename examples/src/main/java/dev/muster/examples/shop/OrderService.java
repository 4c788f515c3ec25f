package dev.muster.examples.shop;

import dev.muster.job.Cancellation;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** What the shop's pages call. */
public final class OrderService {
    private final DataSource database;
    private final Jobs jobs;

    public OrderService(DataSource database, Jobs jobs) {
        this.database = database;
        this.jobs = jobs;
    }

    /** The shop's own tables; a real service would have a migration tool for them. */
    public static void createTables(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE IF NOT EXISTS shop_orders (
                      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL, cents bigint NOT NULL);
                    CREATE TABLE IF NOT EXISTS shop_payments (
                      order_id bigint REFERENCES shop_orders, receipt text NOT NULL, cents bigint NOT NULL);
                    CREATE TABLE IF NOT EXISTS shop_invoices (order_id bigint REFERENCES shop_orders, text text NOT NULL);
                    CREATE TABLE IF NOT EXISTS shop_revenue (day text PRIMARY KEY, cents bigint NOT NULL)""");
        }
    }

    /**
     * What was placed.
     *
     * @param charge the job that takes the money
     * @param invoice the job that writes the invoice after that
     */
    public record PlacedOrder(long id, JobId charge, JobId invoice) {}

    /** Takes an order: its row and its jobs are there together, or none of them. */
    public PlacedOrder place(String customer, long cents) throws SQLException {
        if (cents <= 0) {
            throw new IllegalArgumentException("an order costs something, not " + cents + " cents");
        }
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                PlacedOrder placed = enqueue(connection, insert(connection, customer, cents), cents);
                connection.commit();
                return placed;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    /** Both jobs have keys: whoever enqueues the same order again gets the jobs that are there. */
    PlacedOrder enqueue(Connection connection, long order, long cents) {
        return enqueue(jobs.in(connection), order, cents);
    }

    static PlacedOrder enqueue(Enqueuer transaction, long order, long cents) {
        OrderJobs.Order args = new OrderJobs.Order(order, cents);
        JobId charge = transaction.enqueue(JobRequest.of(OrderJobs.CHARGE_ORDER, args)
                .key("charge-" + order)
                .tags("order-" + order));
        JobId invoice = transaction.enqueue(JobRequest.of(OrderJobs.WRITE_INVOICE, args)
                .key("invoice-" + order)
                .tags("order-" + order)
                .dependsOn(charge));
        return new PlacedOrder(order, charge, invoice);
    }

    static long insert(Connection connection, String customer, long cents) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO shop_orders (customer, cents) VALUES (?, ?) RETURNING id")) {
            insert.setString(1, customer);
            insert.setLong(2, cents);
            ResultSet rows = insert.executeQuery();
            rows.next();
            return rows.getLong(1);
        }
    }

    /** What is going on with an order, for the customer's page. */
    public List<JobInfo> jobsOf(long order) {
        return jobs.list(JobQuery.all().tags("order-" + order));
    }

    /** Calls an order off, unless it is being charged or was. */
    public boolean cancel(PlacedOrder order) {
        return jobs.cancel(order.charge()) == Cancellation.CANCELLED;
    }
}
