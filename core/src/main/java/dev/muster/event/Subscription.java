package dev.muster.event;

import dev.muster.job.JobId;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a client wants to hear of.
 *
 * @param jobs live or ended jobs that the client watches, up to {@link #MOST_WATCHED}
 * @param runs runs that the client watches, up to {@link #MOST_WATCHED}; if there are some, it hears of no others
 */
public record Subscription(Set<EventTopic> topics, Set<JobId> jobs, Set<JobId> runs) {
    /** How many jobs, and how many runs, a client may watch. */
    public static final int MOST_WATCHED = 100;

    /** All topics, and no job or run in particular. */
    public static final Subscription ALL = new Subscription(EnumSet.allOf(EventTopic.class), Set.of(), Set.of());

    /** @throws IllegalArgumentException if it watches too much */
    public Subscription {
        topics = Set.copyOf(topics);
        jobs = Set.copyOf(jobs);
        runs = Set.copyOf(runs);
        if (jobs.size() > MOST_WATCHED || runs.size() > MOST_WATCHED) {
            throw new IllegalArgumentException("one client watches at most " + MOST_WATCHED + " jobs and "
                    + MOST_WATCHED + " runs, not " + jobs.size() + " and " + runs.size());
        }
    }

    public boolean wants(EventTopic topic) {
        return topics.contains(topic);
    }

    public boolean wantsAllRuns() {
        return runs.isEmpty() && wants(EventTopic.RUNS);
    }
}
