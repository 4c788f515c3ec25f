package dev.muster.job;

import java.util.List;

/** Lists, pauses, resumes and limits queues, for the whole cluster. */
public interface Queues {

    /** Starts no more jobs of this queue until {@link #resume}; running jobs go on. */
    void pause(String queue);

    /** Lets the jobs of a paused queue start again, at once. */
    void resume(String queue);

    /**
     * Sets the limit of a queue, in place of the one it had; {@link QueueLimit#NONE} removes it. Jobs that run when the limit is
     * set or lowered go on, and count: until there are fewer than the limit, none starts.
     */
    void limit(String queue, QueueLimit limit);

    /** The queues that have live jobs, are paused or have a limit, sorted by name. */
    List<QueueInfo> list();
}
