package dev.muster;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.Daemons;
import dev.muster.job.internal.ObserverJobs;
import java.util.List;

/** The daemons of an observer: reading works, changes are refused. */
record ObserverDaemons(Daemons daemons) implements Daemons {

    @Override
    public List<DaemonInfo> list() {
        return daemons.list();
    }

    @Override
    public boolean reset(String name) {
        throw ObserverJobs.refusal("reset daemons");
    }
}
