package dev.muster.job;

import dev.muster.runtime.Names;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A registered handler.
 *
 * @param capability empty: any node
 * @param timeout null: {@code worker.job_timeout}
 * @param argsType null: it takes none
 */
public record JobHandler(
        String name,
        Lane lane,
        Priority priority,
        RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable Type argsType,
        Body body) {

    public JobHandler {
        Names.require("job name", name);
        Names.require("queue", lane.queue());
        if (!lane.capability().isEmpty()) {
            Names.require("capability", lane.capability());
        }
    }

    /** The user's code. */
    @FunctionalInterface
    public interface Body {
        @Nullable
        Object run(JobContext context, @Nullable Object args) throws Exception;
    }
}
