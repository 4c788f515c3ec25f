package dev.muster.testkit;

import dev.muster.HandlerScanner;
import dev.muster.Muster;
import dev.muster.job.JobHandler;
import dev.muster.job.JobRegistry;
import dev.muster.runtime.ConnectionSource;
import java.util.ArrayList;
import java.util.List;

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

    void registerWith(Muster.Builder builder) {
        for (Object object : objects) {
            if (object instanceof JobHandler handler) {
                builder.register(handler);
            } else {
                builder.register(object);
            }
        }
    }

    /** @param connections the source of connections for the contexts of crons */
    JobRegistry registry(ConnectionSource connections) {
        List<JobHandler> handlers = new ArrayList<>();
        for (Object object : objects) {
            if (object instanceof JobHandler handler) {
                handlers.add(handler);
            } else {
                handlers.addAll(HandlerScanner.scan(object).allJobs(connections));
            }
        }
        return new JobRegistry(handlers);
    }
}
