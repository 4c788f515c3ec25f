package dev.muster.job.store;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a node claims.
 *
 * @param queues the queues it serves; null for all
 * @param capabilities the capabilities it has; jobs that need none are always included
 * @param names the names of jobs that it has handlers for; null for any name
 */
public record ClaimScope(
        String node,
        @Nullable Set<String> queues,
        Set<String> capabilities,
        @Nullable Set<String> names,
        Duration lease) {

    public ClaimScope {
        queues = queues == null ? null : Set.copyOf(queues);
        capabilities = Set.copyOf(capabilities);
        names = names == null ? null : Set.copyOf(names);
    }

    /** Whether this node may claim jobs in this lane. */
    public boolean serves(Lane lane) {
        return (queues == null || queues.contains(lane.queue()))
                && (lane.capability().isEmpty() || capabilities.contains(lane.capability()));
    }
}
