package dev.muster.cluster;

import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.Registration;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps this node's row: joins, sends heartbeats, leaves. */
public final class Membership implements Service {
    private static final Logger log = LoggerFactory.getLogger(Membership.class);

    private final NodeStore store;
    private final Registration self;
    private final Supplier<Load> load;
    private final Loop heartbeats;
    private volatile boolean joined;

    public Membership(NodeStore store, Registration self, Supplier<Load> load) {
        this.store = store;
        this.self = self;
        this.load = load;
        this.heartbeats = new Loop("heartbeat", () -> {
            beat();
            return self.heartbeatInterval();
        });
    }

    @Override
    public String name() {
        return "membership";
    }

    /** Joins, so that a node that cannot reach the database fails to start instead of limping. */
    @Override
    public void start() {
        store.join(self);
        joined = true;
        heartbeats.start();
        log.info("node={} incarnation={} joined", self.id(), self.incarnation());
    }

    private void beat() {
        if (!store.heartbeat(self.id(), self.incarnation(), load.get())) {
            throw new MusterException("the row of node " + self.id()
                    + " is gone or belongs to another process with the same id; give each node its own node.id");
        }
    }

    /** Shows the others that this node takes no more work. */
    public void drain() {
        if (joined) {
            try {
                store.setStatus(self.id(), self.incarnation(), NodeStatus.DRAINING);
            } catch (MusterException e) {
                log.warn("node={} could not be marked as draining: {}", self.id(), e.getMessage());
            }
        }
    }

    @Override
    public void stop() {
        heartbeats.stop();
        if (joined) {
            joined = false;
            try {
                store.leave(self.id(), self.incarnation());
                log.info("node={} left", self.id());
            } catch (MusterException e) {
                log.warn("node={} could not remove its row: {}", self.id(), e.getMessage());
            }
        }
    }

    @Override
    public Health health() {
        return heartbeats.health();
    }
}
