package dev.muster.workflow;

import dev.muster.job.RetryPolicy;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A shop whose effects are recorded, with one workflow for each thing that a workflow can do. */
public final class Shop {
    static final WorkflowType<Cart, Receipt> CHECKOUT = WorkflowType.of("checkout", Cart.class, Receipt.class);

    /** What a shop sells. */
    public record Cart(int order, String item) {}

    /** What a customer gets. */
    public record Receipt(int order, String reservation, int price) {}

    final List<String> effects = new CopyOnWriteArrayList<>();
    final AtomicInteger chargesToFail = new AtomicInteger();
    final AtomicBoolean shipFails = new AtomicBoolean();
    final CountDownLatch charging = new CountDownLatch(1);
    volatile CountDownLatch mayCharge = new CountDownLatch(0);
    volatile CountDownLatch shipBlocks = new CountDownLatch(0);

    @Workflow(name = "checkout", version = "v1")
    Receipt checkout(WorkflowContext wf, Cart cart) {
        String reservation = wf.step("reserve", String.class)
                .compensateWith("release", cart.item())
                .run(step -> effect("reserve " + cart.item(), "r-" + cart.order()));
        Integer price = wf.step("charge", Integer.class)
                .retry(RetryPolicy.fixed(3, Duration.ofMillis(1)))
                .compensateWith("refund", cart.order())
                .run(step -> charge(cart, step.attempt()));
        wf.step("ship", () -> ship(cart));
        return new Receipt(cart.order(), String.valueOf(reservation), price == null ? 0 : price);
    }

    private <T> T effect(String what, T result) {
        effects.add(what);
        return result;
    }

    private int charge(Cart cart, int attempt) throws InterruptedException {
        effects.add("charge " + cart.order() + " attempt " + attempt);
        charging.countDown();
        mayCharge.await();
        if (chargesToFail.getAndDecrement() > 0) {
            throw new IllegalStateException("no money");
        }
        return 42;
    }

    private void ship(Cart cart) throws InterruptedException {
        shipBlocks.await();
        effects.add("ship " + cart.order());
        if (shipFails.get()) {
            throw new IllegalStateException("no truck");
        }
    }

    @Compensation("release")
    void release(String item) {
        effects.add("release " + item);
    }

    @Compensation("refund")
    void refund(StepContext step, int order) {
        effects.add("refund " + order + " attempt " + step.attempt());
    }

    @Workflow(name = "nap", version = "v1")
    String nap(WorkflowContext wf) {
        wf.step("before", () -> effects.add("before"));
        wf.sleep(Duration.ofHours(1));
        wf.step("after", () -> effects.add("after"));
        return "slept";
    }

    @Workflow(name = "long_nap", version = "v1")
    void longNap(WorkflowContext wf) {
        wf.step("before", () -> effects.add("before"));
        wf.sleep(Duration.ofDays(30));
        wf.step("after", () -> effects.add("after"));
    }

    @Workflow(name = "approval", version = "v1")
    String approval(WorkflowContext wf) {
        return wf.awaitEvent("approved", String.class, Duration.ofHours(1)).orElse("nobody");
    }

    @Workflow(name = "fan", version = "v1")
    List<Integer> fan(WorkflowContext wf, int width) {
        return wf.parallel(IntStream.range(0, width)
                .<Function<WorkflowContext, Integer>>mapToObj(number -> branch -> {
                    int doubled = branch.step("double", Integer.class, step -> effect("double " + number, 2 * number));
                    branch.sleep(Duration.ofMinutes(10));
                    return branch.step("add", Integer.class, step -> effect("add " + number, doubled + 1));
                })
                .toList());
    }

    @Workflow(name = "parent", version = "v1")
    String parent(WorkflowContext wf, Cart cart) {
        Receipt receipt = wf.child(CHECKOUT, cart);
        return "child paid " + (receipt == null ? "nothing" : receipt.price());
    }

    @Workflow(name = "countdown", version = "v1")
    int countdown(WorkflowContext wf, int from) {
        wf.step("count", () -> effects.add("count " + from));
        if (from > 0) {
            throw wf.continueAsNew(from - 1);
        }
        return from;
    }

    @Workflow(name = "counting", version = "v1")
    String counting(WorkflowContext wf, int from) {
        return "counted to " + wf.child(WorkflowType.of("countdown", Integer.class, Integer.class), from);
    }

    @Workflow(name = "nul", version = "v1")
    String nul(WorkflowContext wf) {
        return wf.step("nul", String.class).retry(RetryPolicy.attempts(1)).run(step -> effect("nul", "a\0b"));
    }

    @Workflow(name = "book", version = "v1")
    void book(WorkflowContext wf, int amount) {
        wf.stepIn("credit", Void.class, connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bookings VALUES (?)")) {
                insert.setInt(1, amount);
                insert.executeUpdate();
            }
            return null;
        });
    }
}
