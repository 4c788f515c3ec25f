package dev.muster.testkit;

import dev.muster.job.JobContext;
import dev.muster.job.JobInterceptor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Tracks the handlers that a node has entered and not left. */
final class EnteredHandlers implements JobInterceptor {
    private final Faults faults;
    private final Map<Thread, String> entered = new ConcurrentHashMap<>();

    EnteredHandlers(Faults faults) {
        this.faults = faults;
    }

    @Override
    public @Nullable Object run(JobContext context, Run run) throws Exception {
        faults.pass();
        entered.put(Thread.currentThread(), "job '" + context.name() + "' (" + context.id() + ")");
        try {
            return run.proceed();
        } finally {
            entered.remove(Thread.currentThread());
            faults.pass();
        }
    }

    void interrupt() {
        entered.keySet().forEach(Thread::interrupt);
    }

    /** The jobs whose handlers are still running after a short wait. */
    List<String> left() {
        Waiting.until(Duration.ofMillis(500), entered::isEmpty);
        return List.copyOf(entered.values());
    }
}
