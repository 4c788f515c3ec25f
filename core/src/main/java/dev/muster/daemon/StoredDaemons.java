package dev.muster.daemon;

import dev.muster.runtime.Names;
import java.util.List;

/** {@link Daemons} over a {@link DaemonStore}. */
public final class StoredDaemons implements Daemons {
    private final DaemonStore store;
    private final Runnable changed;

    /** @param changed tells the nodes that a daemon is free */
    public StoredDaemons(DaemonStore store, Runnable changed) {
        this.store = store;
        this.changed = changed;
    }

    @Override
    public List<DaemonInfo> list() {
        return store.list();
    }

    @Override
    public boolean reset(String name) {
        boolean reset = store.reset(Names.require("daemon name", name));
        if (reset) {
            changed.run();
        }
        return reset;
    }
}
