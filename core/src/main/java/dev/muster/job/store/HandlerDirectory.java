package dev.muster.job.store;

import dev.muster.job.Job;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handlers that live nodes have published, for processes that enqueue jobs without having their handlers. */
public interface HandlerDirectory {

    /** The handlers by job name. Uses the given connection, or one of the store's own if it is null. */
    Map<String, Published> published(@Nullable Connection connection);

    /** The values of a handler's {@link Job} annotation. */
    record Published(
            Lane lane,
            Priority priority,
            int maxAttempts,
            int maxCrashes,
            @Nullable Duration timeout) {}
}
