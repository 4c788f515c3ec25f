package dev.muster.beacon;

import dev.muster.beacon.Beacons.Light;
import dev.muster.internal.node.DeadNode;
import dev.muster.internal.node.NodePart;
import dev.muster.runtime.Health;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Shows a node's lights while it is alive. */
final class BeaconKeeper implements NodePart {
    private final BeaconStore store;
    private final String node;
    private final List<BeaconHandler> handlers;
    private final List<String> diary;
    private volatile Health health = Health.OK;

    /** @param diary what happens to this part, in order */
    BeaconKeeper(BeaconStore store, String node, List<BeaconHandler> handlers, List<String> diary) {
        this.store = store;
        this.node = node;
        this.handlers = handlers;
        this.diary = diary;
    }

    @Override
    public String name() {
        return "beacons";
    }

    @Override
    public Phase phase() {
        return Phase.WORK;
    }

    @Override
    public void start() {
        diary.add(node + " start");
        for (BeaconHandler handler : handlers) {
            try {
                store.show(new Light(handler.name(), handler.colour().call(), node));
            } catch (Exception e) {
                health = Health.failing("beacons: " + handler.name() + " has no colour: " + e.getMessage());
            }
        }
    }

    @Override
    public void prepareToStop() {
        diary.add(node + " prepareToStop");
    }

    @Override
    public void stop() {
        diary.add(node + " stop");
        store.putOut(node);
    }

    @Override
    public void suspend() {
        diary.add(node + " suspend");
    }

    @Override
    public void resume() {
        diary.add(node + " resume");
    }

    @Override
    public Health health() {
        return health;
    }

    @Override
    public void release(Connection tx, DeadNode dead) throws SQLException {
        diary.add(node + " releases " + dead.id());
        store.putOut(tx, dead.id());
    }

    @Override
    public void released(DeadNode dead) {
        diary.add(node + " released " + dead.id());
    }
}
