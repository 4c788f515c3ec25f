package dev.muster.testkit;

import dev.muster.MusterBuilder;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.JobHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Objects with annotated methods, or handlers without annotations. Immutable. */
record Handlers(List<Object> objects) {
    static final Handlers NONE = new Handlers(List.of());

    Handlers {
        objects = List.copyOf(objects);
    }

    Handlers and(Object... more) {
        List<Object> all = new ArrayList<>(objects);
        all.addAll(List.of(more));
        return new Handlers(all);
    }

    void registerWith(MusterBuilder builder) {
        for (Object object : objects) {
            if (object instanceof JobHandler handler) {
                builder.register(handler);
            } else {
                builder.register(object);
            }
        }
    }

    /** @param node what the handlers of subsystems use when they run */
    JobRegistry registry(Supplier<NodeContext> node) {
        List<JobHandler> handlers = new ArrayList<>();
        for (Object object : objects) {
            if (object instanceof JobHandler handler) {
                handlers.add(handler);
            } else {
                handlers.addAll(HandlerScanner.jobHandlers(HandlerScanner.scan(object), node));
            }
        }
        return new JobRegistry(handlers);
    }
}
