package dev.muster.job.internal;

import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.job.Queues;
import dev.muster.runtime.ObserverRefusal;
import java.util.List;

/** The queues of an observer: reading works, changes are refused. */
public final class ObserverQueues implements Queues {
    private final Queues queues;

    public ObserverQueues(Queues queues) {
        this.queues = queues;
    }

    @Override
    public void pause(String queue) {
        throw new ObserverRefusal("pause queues");
    }

    @Override
    public void resume(String queue) {
        throw new ObserverRefusal("resume queues");
    }

    @Override
    public void limit(String queue, QueueLimit limit) {
        throw new ObserverRefusal("limit queues");
    }

    @Override
    public List<QueueInfo> list() {
        return queues.list();
    }
}
