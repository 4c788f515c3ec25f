package dev.muster.examples;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobType;
import dev.muster.job.Priority;

/** The shop's orders. */
public final class Orders {
    public static final JobType<OrderArgs, Order> PROCESS_ORDER =
            JobType.of("process_order", OrderArgs.class, Order.class);

    public record OrderArgs(long orderId) {}

    public record Order(long orderId, String status, String processedBy) {}

    @Job(value = "process_order", priority = Priority.HIGH, maxAttempts = 5, timeout = "30s")
    Order process(JobContext ctx, OrderArgs args) {
        if (args.orderId() <= 0) {
            throw new IllegalArgumentException("order_id must be positive, not " + args.orderId());
        }
        return new Order(args.orderId(), "processed", ctx.nodeId());
    }
}
