package dev.muster.examples.spring;

import dev.muster.job.Jobs;
import dev.muster.workflow.Workflows;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The orders. An order, its mail and its checkout are one transaction: all of them are there, or none. */
@Service
public class Orders {
    private final JdbcClient sql;
    private final Jobs jobs;
    private final Workflows workflows;

    public record NewOrder(String customer, int cents) {}

    public record Order(long id, String customer, int cents, String state) {}

    public Orders(JdbcClient sql, Jobs jobs, Workflows workflows) {
        this.sql = sql;
        this.jobs = jobs;
        this.workflows = workflows;
    }

    @Transactional
    public long place(NewOrder order) {
        long id = sql.sql("INSERT INTO orders (customer, cents) VALUES (?, ?) RETURNING id")
                .params(order.customer(), order.cents())
                .query(Long.class)
                .single();
        jobs.enqueue(OrderJobs.CONFIRM, new OrderJobs.OrderRef(id));
        workflows.start(Checkout.CHECKOUT, new Checkout.Input(id, order.cents()));
        return id;
    }

    public Optional<Order> find(long id) {
        return sql.sql("SELECT id, customer, cents, state FROM orders WHERE id = ?")
                .param(id)
                .query(Order.class)
                .optional();
    }

    /** Changes the state of an order; whoever calls says in which transaction. */
    @Transactional
    public void mark(long id, String state) {
        sql.sql("UPDATE orders SET state = ? WHERE id = ?").params(state, id).update();
    }
}
