package dev.muster.spring.shop;

import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobType;
import dev.muster.spring.MusterTransactions;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The shop's handlers. A proxy is around this bean, because of {@code @Transactional}. */
@Component
public class OrderJobs {
    public record OrderArgs(long orderId) {}

    public static final JobType<OrderArgs, String> SHIP = JobType.of("ship", OrderArgs.class, String.class);
    public static final JobType<OrderArgs, String> BILL = JobType.of("bill", OrderArgs.class, String.class);

    private final OrderRepository orders;
    private final MusterTransactions transactions;
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch feeding = new CountDownLatch(1);

    public OrderJobs(OrderRepository orders, MusterTransactions transactions) {
        this.orders = orders;
        this.transactions = transactions;
    }

    /** Package-private: the proxy passes it on. */
    @Job("ship")
    @Transactional
    String ship(JobContext ctx, OrderArgs args) {
        orders.findById(args.orderId()).ifPresent(order -> order.setState("shipped"));
        return "shipped by " + ctx.nodeId();
    }

    /** The order's state and the job's outcome commit together. The first attempt fails after both were written. */
    @Job(value = "bill", backoff = @Backoff(delay = "10ms"))
    @Transactional
    public String bill(JobContext ctx, OrderArgs args) {
        orders.save(new Order(args.orderId(), "billed in attempt " + ctx.attempt()));
        transactions.complete(ctx, "billed");
        if (ctx.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails after it has completed the job");
        }
        return "ignored";
    }

    @Job(value = "complete_outside", maxAttempts = 1)
    public void completeOutside(JobContext ctx) {
        transactions.complete(ctx);
    }

    @Job("wait")
    public void waitForRelease() throws InterruptedException {
        entered.countDown();
        released.await();
    }

    @Workflow(name = "checkout", version = "v1")
    public String checkout(WorkflowContext ctx, OrderArgs args) {
        return "checked out " + args.orderId();
    }

    @Workflow(name = "rest", version = "v1")
    public void rest(WorkflowContext ctx, OrderArgs args) {
        ctx.sleep(Duration.ofDays(1));
    }

    @Query
    public boolean isProxied(QueryContext ctx) {
        return orders != null && !TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Daemon
    public void feed(DaemonContext ctx) {
        feeding.countDown();
        ctx.awaitShutdown(Duration.ofDays(1));
    }

    public CountDownLatch entered() {
        return entered;
    }

    public CountDownLatch released() {
        return released;
    }

    public CountDownLatch feeding() {
        return feeding;
    }
}
