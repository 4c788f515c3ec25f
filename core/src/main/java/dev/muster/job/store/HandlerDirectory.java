package dev.muster.job.store;

import dev.muster.job.HandlerInfo;
import dev.muster.job.LineLimit;
import java.sql.Connection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handlers that live nodes have published, for processes that enqueue jobs without having their handlers. */
public interface HandlerDirectory {

    /** What each handler has declared for its jobs, by job name. Uses the given connection, or one of the store's own if it is null. */
    Map<String, HandlerInfo> published(@Nullable Connection connection);

    /** The limits that handlers have declared for the lines of their jobs, by job name. Uses a connection like {@link #published}. */
    default Map<String, LineLimit> lineLimits(@Nullable Connection connection) {
        return Map.of();
    }
}
