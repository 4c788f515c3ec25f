package dev.muster.internal.job.store;

import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The port to the queues' table. */
public interface QueueStore {

    void pause(String queue);

    /** Resumes the queue, and returns its lanes that have pending jobs. */
    Set<Lane> resume(String queue);

    /** Sets or removes the limit of a queue. From then on no claim exceeds it; what runs already counts. */
    void limit(String queue, QueueLimit limit);

    List<QueueInfo> list();

    /**
     * The same within a time.
     *
     * @throws dev.muster.runtime.ReadTookTooLong if the database has not answered by then
     */
    List<QueueInfo> list(Duration limit);
}
