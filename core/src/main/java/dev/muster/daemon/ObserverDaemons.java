package dev.muster.daemon;

import dev.muster.runtime.ObserverRefusal;
import java.util.List;

/** The daemons of an observer: reading works, changes are refused. */
record ObserverDaemons(Daemons daemons) implements Daemons {

    @Override
    public List<DaemonInfo> list() {
        return daemons.list();
    }

    @Override
    public boolean reset(String name) {
        throw new ObserverRefusal("reset daemons");
    }
}
