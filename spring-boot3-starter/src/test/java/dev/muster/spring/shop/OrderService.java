package dev.muster.spring.shop;

import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import java.util.function.Supplier;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Places orders, each with a job in the same transaction. */
@Service
public class OrderService {
    private final OrderRepository orders;
    private final Jobs jobs;

    public OrderService(OrderRepository orders, Jobs jobs) {
        this.orders = orders;
        this.jobs = jobs;
    }

    /** What someone finds wrong after everything was written. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Transactional
    public JobId place(long id) {
        orders.save(new Order(id, "placed"));
        return jobs.enqueue(OrderJobs.SHIP, new OrderJobs.OrderArgs(id));
    }

    @Transactional
    public void placeAndFail(long id) {
        place(id);
        throw new Refused();
    }

    @Transactional(readOnly = true)
    public void placeReadOnly(long id) {
        place(id);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public JobId placeInNewTransaction(long id) {
        return place(id);
    }

    /** Runs the work in this transaction, and then fails. */
    @Transactional
    public void failAfter(Supplier<?> work) {
        work.get();
        throw new Refused();
    }

    /** Enqueues in the transaction of plain JDBC; what happens in {@code nested} is rolled back to its savepoint. */
    @Transactional("jdbcTransactionManager")
    public JobId enqueueAround(long id, Runnable nested) {
        try {
            nested.run();
        } catch (Refused e) {
            return jobs.enqueue(OrderJobs.SHIP, new OrderJobs.OrderArgs(id));
        }
        throw new AssertionError("the nested transaction was not refused");
    }

    @Transactional(value = "jdbcTransactionManager", propagation = Propagation.NESTED)
    public void enqueueNestedAndFail(long id) {
        jobs.enqueue(OrderJobs.SHIP, new OrderJobs.OrderArgs(id));
        throw new Refused();
    }
}
