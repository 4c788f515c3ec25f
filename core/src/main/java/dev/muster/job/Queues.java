package dev.muster.job;

import dev.muster.runtime.Writes;
import java.util.List;

/** Lists, pauses, resumes and limits queues, for the whole cluster. */
public interface Queues {

    /** Starts no more jobs of this queue until {@link #resume}; running jobs continue. */
    @Writes("pause queues")
    void pause(String queue);

    /** Lets the jobs of a paused queue start again, at once. */
    @Writes("resume queues")
    void resume(String queue);

    /**
     * Sets the limit of a queue, in place of the one it had; {@link QueueLimit#NONE} removes it. Jobs that run when the limit is
     * set or lowered continue, and count: until there are fewer than the limit, none starts.
     */
    @Writes("limit queues")
    void limit(String queue, QueueLimit limit);

    /** The queues that have live jobs, are paused or have a limit, sorted by name. */
    List<QueueInfo> list();
}
