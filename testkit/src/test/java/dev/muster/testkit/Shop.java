package dev.muster.testkit;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** The jobs that the tests of the kit test. */
final class Shop {
    record Order(int number) {}

    record Receipt(int order) {}

    static final JobType<Order, String> PLACE_ORDER = JobType.of("place_order", Order.class, String.class);
    static final JobType<Receipt, String> SEND_RECEIPT = JobType.of("send_receipt", Receipt.class, String.class);
    static final JobType<Order, Integer> FLAKY = JobType.of("flaky", Order.class, Integer.class);

    final List<String> log = new CopyOnWriteArrayList<>();
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch mayLeave = new CountDownLatch(1);
    final CountDownLatch interrupted = new CountDownLatch(1);

    private final Jobs jobs;

    Shop(Jobs jobs) {
        this.jobs = jobs;
    }

    @Job("place_order")
    String placeOrder(Order order) {
        log.add("order " + order.number());
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(order.number()))
                .delay(Duration.ofMinutes(5))
                .key("order-" + order.number()));
        return "placed";
    }

    @Job(value = "send_receipt", priority = Priority.LOW)
    String sendReceipt(Receipt receipt) {
        log.add("receipt " + receipt.order());
        return "sent";
    }

    @Job(value = "flaky", maxAttempts = 3, backoff = @Backoff(delay = "1m"))
    int flaky(JobContext ctx, Order order) {
        log.add("attempt " + ctx.attempt());
        if (ctx.attempt() < order.number()) {
            throw new IllegalStateException("attempt " + ctx.attempt() + " is too early");
        }
        return ctx.attempt();
    }

    @Job(value = "picky", noRetryOn = IllegalArgumentException.class)
    void picky() {
        log.add("picky");
        throw new IllegalArgumentException("never");
    }

    @Job(value = "gated", timeout = "10m", maxAttempts = 1, maxCrashes = 5)
    String gated(JobContext ctx) throws InterruptedException {
        log.add("gated on " + ctx.nodeId());
        entered.countDown();
        try {
            mayLeave.await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
        return "left";
    }

    @Job("again")
    void again() {
        jobs.enqueue("again", null);
    }
}
