package dev.muster.internal.workflow;

import dev.muster.internal.node.NodePart;
import dev.muster.internal.workflow.WorkflowStore.Stranded;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in {@code /_api/ready} whether live nodes can resume all runs of the workflows of which this node has some version. It asks the database only when it is asked itself, at most every
 * two seconds.
 */
final class StrandedRunsReadiness implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(StrandedRunsReadiness.class);
    private static final Duration CACHED = Duration.ofSeconds(2);

    private final WorkflowStore store;
    private final Collection<String> ownDrivers;
    private final Set<String> ownWorkflows;
    private final Clock clock;
    private boolean asked;
    private long askedAt;
    private boolean stranded;

    /**
     * @param ownDrivers the drivers that this node runs
     * @param ownWorkflows the names of the workflows of which it has some version
     */
    StrandedRunsReadiness(WorkflowStore store, Collection<String> ownDrivers, Set<String> ownWorkflows, Clock clock) {
        this.store = store;
        this.ownDrivers = ownDrivers;
        this.ownWorkflows = ownWorkflows;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "stranded-runs";
    }

    @Override
    public Phase phase() {
        return Phase.PREPARATION;
    }

    /** A node that comes with less code than its predecessor says so at once. */
    @Override
    public void start() {
        for (Stranded version : store.stranded(ownDrivers)) {
            log.warn(
                    "workflow={} version={} has live runs, and no live node has {}",
                    version.name(),
                    version.version(),
                    version.what());
        }
    }

    @Override
    public synchronized Map<String, Boolean> readiness() {
        long now = clock.nanos();
        if (!asked || now - askedAt > CACHED.toNanos()) {
            try {
                // Those of other services are not for this node to bring back.
                stranded =
                        store.stranded(ownDrivers).stream().anyMatch(version -> ownWorkflows.contains(version.name()));
                asked = true;
                askedAt = now;
            } catch (MusterException e) {
                log.debug("whether runs are stranded could not be found out", e);
            }
        }
        return Map.of("workflows", !stranded);
    }
}
