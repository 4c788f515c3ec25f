package dev.muster.examples.feature;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import java.time.Duration;

/** The handlers that the examples of tests are about. */
final class Orders {
    record Order(long id) {}

    static final JobType<Order, String> PLACE_ORDER = JobType.of("place_order", Order.class, String.class);

    @Job("place_order")
    String place(JobContext ctx, Order order) {
        ctx.jobs()
                .enqueue(JobRequest.of("send_receipt", order)
                        .key("order-" + order.id())
                        .delay(Duration.ofMinutes(5)));
        return "placed";
    }

    @Job("send_receipt")
    void sendReceipt(Order order) {
        if (order.id() < 0) {
            throw new IllegalArgumentException("there is no order " + order.id());
        }
    }
}
