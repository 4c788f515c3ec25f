package dev.muster.job;

import java.util.List;

/** Steers queues, for the whole cluster. */
public interface Queues {

    /** Lets nothing of this queue start until {@link #resume}; what runs, runs on. */
    void pause(String queue);

    /** Lets a paused queue run again, at once. */
    void resume(String queue);

    /** Queues that hold live jobs or were paused, by name. */
    List<QueueInfo> list();
}
