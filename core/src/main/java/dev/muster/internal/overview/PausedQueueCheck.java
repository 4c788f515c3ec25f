package dev.muster.internal.overview;

import dev.muster.internal.runtime.Plural;
import dev.muster.job.JobCount;
import dev.muster.job.JobStatus;
import dev.muster.overview.Finding.Severity;
import java.util.List;

/** A queue that somebody has paused, and may have forgotten. */
final class PausedQueueCheck implements Check {

    @Override
    public String name() {
        return "paused_queue";
    }

    @Override
    public String question() {
        return "Is any queue paused?";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "resume it when its jobs may run again";
    }

    @Override
    public String page() {
        return "queues";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.queues().stream()
                .filter(queue -> queue.pausedAt().isPresent())
                .map(queue -> new Problem(
                        "Queue " + queue.name() + " has been paused for "
                                + DurationWords.of(
                                        cluster.since(queue.pausedAt().orElseThrow())) + ", and "
                                + new JobCount(queue.pending(), !queue.atLeast().contains(JobStatus.PENDING)).words()
                                + Plural.choose(queue.pending(), " job waits", " jobs wait") + " in it",
                        "queues/" + queue.name()))
                .toList();
    }
}
