package dev.muster.job.store;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node claims and as whom.
 *
 * @param queues null: all
 * @param capabilities jobs without a capability are always included
 * @param names the handlers it has; null: takes any name
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

    /** Whether a job in this lane could be for this node. */
    public boolean serves(Lane lane) {
        return (queues == null || queues.contains(lane.queue()))
                && (lane.capability().isEmpty() || capabilities.contains(lane.capability()));
    }
}
