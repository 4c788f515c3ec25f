package dev.muster.examples.spring;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobType;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.spring.MusterTransactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** What the shop does in the background. */
@Component
public class OrderJobs {
    private static final Logger log = LoggerFactory.getLogger(OrderJobs.class);

    public record OrderRef(long orderId) {}

    public static final JobType<OrderRef, String> CONFIRM = JobType.of("confirm_order", OrderRef.class, String.class);

    private final Orders orders;
    private final JdbcClient sql;
    private final MusterTransactions transactions;

    public OrderJobs(Orders orders, JdbcClient sql, MusterTransactions transactions) {
        this.orders = orders;
        this.sql = sql;
        this.transactions = transactions;
    }

    @Job("confirm_order")
    String confirm(OrderRef ref) {
        String customer = orders.find(ref.orderId()).orElseThrow().customer();
        log.info("order {}: mail to {}", ref.orderId(), customer);
        return "mail to " + customer;
    }

    /** The orders' state and the outcome of the job commit together, so it happens exactly once. */
    @Job("close_orders")
    @Transactional
    public void closeShipped(JobContext ctx) {
        int closed = sql.sql("UPDATE orders SET state = 'closed' WHERE state = 'shipped'")
                .update();
        transactions.complete(ctx, closed);
    }

    /** One job for each tick, in the whole cluster. */
    @Cron("0 * * * *")
    void hourly(CronContext ctx) {
        log.info(
                "orders so far: {}",
                sql.sql("SELECT count(*) FROM orders").query(Long.class).single());
    }
}
