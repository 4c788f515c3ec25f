package dev.muster.job.store;

import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import java.util.List;
import java.util.Set;

/** The port to the queues' table. */
public interface QueueStore {

    void pause(String queue);

    /** Resumes the queue, and returns its lanes that have pending jobs. */
    Set<Lane> resume(String queue);

    List<QueueInfo> list();
}
