package dev.muster.examples.shop;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobType;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import javax.sql.DataSource;

/** What the shop does in the background. */
public final class OrderJobs {
    public static final JobType<Order, String> CHARGE_ORDER = JobType.of("charge_order", Order.class, String.class);
    public static final JobType<Order, String> WRITE_INVOICE = JobType.of("write_invoice", Order.class, String.class);

    /** Args of both jobs. */
    public record Order(long id, long cents) {}

    private final DataSource database;
    private final PaymentProvider payments;

    public OrderJobs(DataSource database, PaymentProvider payments) {
        this.database = database;
        this.payments = payments;
    }

    /**
     * Charges the order. The provider may be asked more than once, with the same reference; the payment is written once,
     * because it commits together with the end of the job.
     */
    @Job(
            value = "charge_order",
            maxAttempts = 4,
            backoff = @Backoff(delay = "10s"),
            timeout = "30s",
            noRetryOn = PaymentProvider.CardDeclined.class)
    String charge(JobContext ctx, Order order) throws SQLException {
        String receipt;
        try {
            receipt = payments.charge("order-" + order.id(), order.cents());
        } catch (PaymentProvider.Busy busy) {
            throw ctx.retryIn(busy.comeBackIn(), busy.getMessage());
        }
        ctx.log().info("charged " + order.cents() + " cents, receipt " + receipt);
        return writeAndComplete(
                ctx,
                receipt,
                "INSERT INTO shop_payments (order_id, receipt, cents) VALUES (?, ?, ?)",
                order.id(),
                receipt,
                order.cents());
    }

    /** Runs when the charge has completed, and never if it has not. */
    @Job("write_invoice")
    String invoice(JobContext ctx, Order order) throws SQLException {
        String text = "Invoice for order %d: %d.%02d".formatted(order.id(), order.cents() / 100, order.cents() % 100);
        return writeAndComplete(
                ctx, text, "INSERT INTO shop_invoices (order_id, text) VALUES (?, ?)", order.id(), text);
    }

    /** One row per day, whichever node the tick falls to. */
    @Cron("5 0 * * *")
    void dailyRevenue(CronContext ctx) throws SQLException {
        LocalDate day = ctx.tick().atZone(ZoneOffset.UTC).toLocalDate();
        writeAndComplete(
                ctx,
                null,
                "INSERT INTO shop_revenue (day, cents) SELECT ?, coalesce(sum(cents), 0) FROM shop_payments"
                        + " ON CONFLICT (day) DO UPDATE SET cents = excluded.cents",
                day.toString());
    }

    private <R> R writeAndComplete(JobContext ctx, R result, String sql, Object... values) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.executeUpdate();
                ctx.completeIn(connection, result);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }
}
