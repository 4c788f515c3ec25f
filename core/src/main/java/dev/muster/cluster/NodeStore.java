package dev.muster.cluster;

import dev.muster.job.HandlerDirectory;
import dev.muster.job.JobHandler;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The port to the node table. Every write names the incarnation and changes nothing if it is not the row's. */
public interface NodeStore extends HandlerDirectory {

    /** Adds the node's row, or takes over the one with its id. */
    void join(Registration node);

    /** Says that the node is alive; false if the row is gone or belongs to another incarnation. */
    boolean heartbeat(String id, UUID incarnation, Load load);

    boolean setStatus(String id, UUID incarnation, NodeStatus status);

    void leave(String id, UUID incarnation);

    List<NodeInfo> list();

    /** What a node says about itself when it joins. */
    record Registration(
            String id,
            UUID incarnation,
            @Nullable String name,
            @Nullable Set<String> queues,
            Set<String> capabilities,
            Collection<JobHandler> handlers,
            Duration heartbeatInterval,
            String nodeInfo) {}

    /** What a node reports with each heartbeat: jobs on it, share of CPU used by its process, bytes of heap in use. */
    record Load(int jobs, double cpu, long memory) {}
}
