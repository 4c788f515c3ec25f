package dev.muster.workflow;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A workflow whose code each test brings along. It begins with a step that can be undone. */
public final class Order {
    final List<String> effects = new CopyOnWriteArrayList<>();
    volatile Function<WorkflowContext, Object> code = wf -> null;

    @Workflow(name = "order", version = "v1")
    Object order(WorkflowContext wf) {
        wf.step("charge", String.class).compensateWith("refund", null).run(step -> {
            effects.add("charge");
            return "charged";
        });
        return code.apply(wf);
    }

    @Workflow(name = "packing", version = "v1")
    String pack(WorkflowContext wf) {
        wf.step("pack", () -> effects.add("pack"));
        return "packed";
    }

    @Compensation("refund")
    void refund() {
        effects.add("refund");
    }
}
