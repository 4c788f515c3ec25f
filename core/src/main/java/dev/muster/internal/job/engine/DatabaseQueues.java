package dev.muster.internal.job.engine;

import dev.muster.internal.job.store.QueueStore;
import dev.muster.internal.job.store.WorkSignal;
import dev.muster.internal.runtime.Names;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.job.Queues;
import java.util.List;
import java.util.Set;

/** {@link Queues} over a {@link QueueStore}. */
public final class DatabaseQueues implements Queues {
    private final QueueStore store;
    private final WorkSignal signal;

    public DatabaseQueues(QueueStore store, WorkSignal signal) {
        this.store = store;
        this.signal = signal;
    }

    @Override
    public void pause(String queue) {
        store.pause(Names.require("queue", queue));
        // Wakes the nodes, so that they release claimed jobs of this queue that have not started.
        signal.newWork(Set.of(new Lane(queue, "")));
    }

    @Override
    public void resume(String queue) {
        Set<Lane> lanes = store.resume(Names.require("queue", queue));
        if (!lanes.isEmpty()) {
            signal.newWork(lanes);
        }
    }

    @Override
    public void limit(String queue, QueueLimit limit) {
        store.limit(Names.require("queue", queue), limit);
        // Wakes the nodes: there may be more places now, and nodes that wait have to learn of a new limit.
        signal.newWork(Set.of(new Lane(queue, "")));
    }

    @Override
    public List<QueueInfo> list() {
        return store.list();
    }
}
