package dev.muster.job;

import dev.muster.internal.config.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names that occur in the database. Neither jobs nor queues have to be registered, so a name that is missing here may still be
 * right.
 *
 * @param jobs names of jobs
 * @param queues names of queues
 * @param usedQueues the queues that jobs, handlers, crons or nodes use, without those that were only paused or resumed
 */
public record KnownNames(Set<String> jobs, Set<String> queues, Set<String> usedQueues) {
    public KnownNames {
        jobs = Set.copyOf(jobs);
        queues = Set.copyOf(queues);
        usedQueues = Set.copyOf(usedQueues);
    }

    /** Hints about a job name and a queue that do not occur in the database; null for one that was not given. */
    public List<String> sentencesAboutUnknown(@Nullable String job, @Nullable String queue) {
        List<String> sentences = new ArrayList<>();
        if (job != null && !jobs.contains(job)) {
            sentences.add("no handler and no recent job is called '" + job + "'" + Nearest.suggestion(job, jobs));
        }
        if (queue != null && !queues.contains(queue)) {
            sentences.add("no handler and no recent job has queue '" + queue + "'" + Nearest.suggestion(queue, queues));
        }
        return sentences;
    }
}
