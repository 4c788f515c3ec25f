package dev.muster.examples.spring;

import dev.muster.job.RetryPolicy;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Charges and ships an order, and waits for the carrier to say that it is delivered. Each step is stored, so that after a crash another node continues with the next one. */
@Component
public class Checkout {
    public static final WorkflowType<Input, String> CHECKOUT = WorkflowType.of("checkout", Input.class, String.class);

    /** What the shop's payment service refuses. */
    private static final int TOO_EXPENSIVE = 1_000_000;

    private final Orders orders;

    public record Input(long orderId, int cents) {}

    public Checkout(Orders orders) {
        this.orders = orders;
    }

    @Workflow(name = "checkout", version = "v1")
    String checkout(WorkflowContext wf, Input input) {
        wf.step("reserve").compensateWith("release", input).run(step -> {
            orders.mark(input.orderId(), "reserved");
            return null;
        });
        String receipt = wf.step("charge", String.class)
                .retry(RetryPolicy.fixed(1, Duration.ZERO))
                .run(step -> charge(input));
        wf.step("ship").run(step -> {
            orders.mark(input.orderId(), "shipped");
            return null;
        });
        boolean delivered =
                wf.awaitEvent("delivered", String.class, Duration.ofDays(3)).isPresent();
        return delivered ? receipt : receipt + ", not delivered within three days";
    }

    private static String charge(Input input) {
        if (input.cents() > TOO_EXPENSIVE) {
            throw new IllegalArgumentException("the card was refused");
        }
        return "receipt-" + input.orderId();
    }

    @Compensation("release")
    void release(Input input) {
        orders.mark(input.orderId(), "cancelled");
    }
}
