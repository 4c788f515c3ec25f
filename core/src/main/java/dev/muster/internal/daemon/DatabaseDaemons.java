package dev.muster.internal.daemon;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.Daemons;
import dev.muster.internal.runtime.Names;
import java.util.List;

/** {@link Daemons} over a {@link DaemonStore}. */
public final class DatabaseDaemons implements Daemons {
    private final DaemonStore store;
    private final Runnable changed;

    /** @param changed tells the nodes that a daemon is free */
    public DatabaseDaemons(DaemonStore store, Runnable changed) {
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
