package dev.muster.internal.job.store;

import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.HandlerInfo;
import java.sql.Connection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handlers that live nodes have published, for processes that enqueue jobs without having their handlers. */
public interface HandlerDirectory {

    /** What each handler has declared for its jobs, by job name. Uses the given connection, or one of the store's own if it is null. */
    Map<String, HandlerInfo> published(@Nullable Connection connection);

    /** The limits that handlers have declared for the groups of their jobs, by job name. Uses a connection like {@link #published}. */
    default Map<String, ConcurrencyLimit> concurrencyLimits(@Nullable Connection connection) {
        return Map.of();
    }
}
