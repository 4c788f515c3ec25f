package dev.muster.examples;

import dev.muster.examples.Orders.OrderArgs;
import dev.muster.function.FunctionError;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** Where others place orders and ask for them: {@code place_order} and {@code order}, both with {@code {"order_id": 42}}. */
public final class OrderDesk {

    /** @param job the job that processes the order */
    public record PlacedOrder(long orderId, String job) {}

    @Mutation
    JobId placeOrder(MutationContext ctx, OrderArgs args) throws SQLException {
        prepareTable(ctx.connection());
        JobId job = ctx.jobs().enqueue(Orders.PROCESS_ORDER, args);
        try (PreparedStatement insert = ctx.connection()
                .prepareStatement(
                        "INSERT INTO example_orders (order_id, job_id) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
            insert.setLong(1, args.orderId());
            insert.setObject(2, job.value());
            if (insert.executeUpdate() == 0) {
                throw new FunctionError("placed_before", "order " + args.orderId() + " was placed before");
            }
        }
        return job;
    }

    @Query
    PlacedOrder order(QueryContext ctx, OrderArgs args) throws SQLException {
        if (hasTable(ctx.connection())) {
            try (PreparedStatement select =
                    ctx.connection().prepareStatement("SELECT job_id FROM example_orders WHERE order_id = ?")) {
                select.setLong(1, args.orderId());
                ResultSet rows = select.executeQuery();
                if (rows.next()) {
                    return new PlacedOrder(
                            args.orderId(), rows.getObject(1, UUID.class).toString());
                }
            }
        }
        throw new FunctionError("no_such_order", "there is no order " + args.orderId());
    }

    private static boolean hasTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT to_regclass('example_orders') IS NOT NULL")) {
            rows.next();
            return rows.getBoolean(1);
        }
    }

    /** The lock lets one call create the table while others wait. */
    private static void prepareTable(Connection connection) throws SQLException {
        if (hasTable(connection)) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(7239047)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS example_orders (order_id bigint PRIMARY KEY, job_id uuid NOT NULL)");
        }
    }
}
