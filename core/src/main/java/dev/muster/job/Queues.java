package dev.muster.job;

import java.util.List;

/** Lists, pauses and resumes queues, for the whole cluster. */
public interface Queues {

    /** Starts no more jobs of this queue until {@link #resume}; running jobs go on. */
    void pause(String queue);

    /** Lets the jobs of a paused queue start again, at once. */
    void resume(String queue);

    /** The queues that have live jobs or were paused, sorted by name. */
    List<QueueInfo> list();
}
