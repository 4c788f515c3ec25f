package dev.muster.internal.daemon;

import dev.muster.internal.node.DeadNode;
import dev.muster.internal.node.NodePart;
import java.sql.Connection;
import java.sql.SQLException;

/** Releases the daemons that a dead node held. */
record DaemonsOfDeadNodes(DaemonStore store, Runnable changed) implements NodePart {

    @Override
    public String name() {
        return "daemons-of-dead-nodes";
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public void release(Connection tx, DeadNode node) throws SQLException {
        store.release(tx, node.id(), node.incarnation());
    }

    @Override
    public void released(DeadNode node) {
        changed.run();
    }
}
