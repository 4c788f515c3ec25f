package dev.muster.job.store;

import dev.muster.job.Job;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handlers that live nodes have published: what an enqueuer without the code can know about a job. */
public interface HandlerDirectory {

    /** Handlers by job name. Reads through the given connection if there is one, else through the store's own. */
    Map<String, Published> published(@Nullable Connection connection);

    /** What a handler's {@link Job} annotation says. */
    record Published(
            Lane lane,
            Priority priority,
            int maxAttempts,
            int maxCrashes,
            @Nullable Duration timeout) {}
}
