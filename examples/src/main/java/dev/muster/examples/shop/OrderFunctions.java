package dev.muster.examples.shop;

import dev.muster.function.FunctionError;
import dev.muster.function.FunctionLimit;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.job.JobId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** What other services and the shop's app call, by name: the same as {@link OrderService} does for the shop's own pages. */
public final class OrderFunctions {

    /** Which order. */
    public record OrderRef(long id) {}

    /** A new order. */
    public record NewOrder(String customer, long cents) {}

    /**
     * An order as its customer sees it.
     *
     * @param receipt of the payment provider; empty until the order is paid
     */
    public record OrderView(long id, String customer, long cents, Optional<String> receipt) {}

    /**
     * What was placed.
     *
     * @param charge the job that takes the money
     */
    public record Placed(long id, String charge) {}

    @Query
    OrderView order(QueryContext ctx, OrderRef ref) throws SQLException {
        try (PreparedStatement select = ctx.connection()
                .prepareStatement("SELECT o.customer, o.cents, p.receipt FROM shop_orders o"
                        + " LEFT JOIN shop_payments p ON p.order_id = o.id WHERE o.id = ?")) {
            select.setLong(1, ref.id());
            ResultSet rows = select.executeQuery();
            if (!rows.next()) {
                throw new FunctionError("no_such_order", "there is no order " + ref.id());
            }
            return new OrderView(ref.id(), rows.getString(1), rows.getLong(2), Optional.ofNullable(rows.getString(3)));
        }
    }

    /** The order's row and its jobs are one transaction, which Muster commits when this returns. */
    @Mutation(rateLimit = @FunctionLimit(permits = 10, per = "1m"))
    Placed placeOrder(MutationContext ctx, NewOrder order) throws SQLException {
        if (order.cents() <= 0) {
            throw new FunctionError("costs_nothing", "an order costs something", Map.of("cents", order.cents()));
        }
        long id = OrderService.insert(ctx.connection(), order.customer(), order.cents());
        JobId charge = OrderService.enqueue(ctx.jobs(), id, order.cents()).charge();
        return new Placed(id, charge.toString());
    }
}
