package dev.muster.internal.function;

import dev.muster.cluster.NodeInfo;
import java.util.List;

/** The port to the nodes that run functions, for a gateway that forwards calls to them. */
@FunctionalInterface
public interface FunctionNodeStore {

    /**
     * The nodes that publish functions, also those that drain or are dead, with the status that follows from their last heartbeats and
     * their own intervals. It is read where nodes write, and not from {@code database.read_url}.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database does not answer
     */
    List<NodeInfo> list();
}
