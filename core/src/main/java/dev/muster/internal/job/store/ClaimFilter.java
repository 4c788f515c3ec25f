package dev.muster.internal.job.store;

import dev.muster.job.Lane;
import dev.muster.job.Placement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a node claims.
 *
 * @param queues the queues it serves; null for all
 * @param capabilities the capabilities it has; jobs that need none are always included
 * @param labels its labels, which placements can name
 * @param names the names of jobs that it has handlers for; null for any name
 */
public record ClaimFilter(
        String node,
        @Nullable Set<String> queues,
        Set<String> capabilities,
        Map<String, String> labels,
        @Nullable Set<String> names,
        Duration lease) {

    public ClaimFilter {
        queues = queues == null ? null : Set.copyOf(queues);
        capabilities = Set.copyOf(capabilities);
        labels = Map.copyOf(labels);
        names = names == null ? null : Set.copyOf(names);
    }

    /** The filter of a node without labels. */
    public ClaimFilter(
            String node,
            @Nullable Set<String> queues,
            Set<String> capabilities,
            @Nullable Set<String> names,
            Duration lease) {
        this(node, queues, capabilities, Map.of(), names, lease);
    }

    /** The same filter with a single queue. */
    public ClaimFilter onlyQueue(String queue) {
        return new ClaimFilter(node, Set.of(queue), capabilities, labels, names, lease);
    }

    /** The same filter for jobs of these names only. */
    public ClaimFilter onlyNames(Set<String> some) {
        return new ClaimFilter(node, queues, capabilities, labels, some, lease);
    }

    /** Whether this node serves a queue. */
    public boolean servesQueue(String queue) {
        return queues == null || queues.contains(queue);
    }

    /** Whether this node may claim jobs in this lane. */
    public boolean serves(Lane lane) {
        return servesQueue(lane.queue()) && Placement.fits(lane.capability(), capabilities, labels, node);
    }
}
