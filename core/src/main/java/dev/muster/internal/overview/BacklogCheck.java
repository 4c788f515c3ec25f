package dev.muster.internal.overview;

import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** A job of a queue has waited for long although it is due. */
final class BacklogCheck implements Check {

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public String question() {
        return "Do due jobs start soon?";
    }

    @Override
    public Duration threshold() {
        return Duration.ofMinutes(1);
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "start more nodes, or raise the limit of the queue";
    }

    @Override
    public String page() {
        return "queues";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.queues().stream()
                .filter(queue -> queue.pausedAt().isEmpty() && queue.oldestDue().isPresent())
                .filter(queue -> cluster.since(queue.oldestDue().orElseThrow()).compareTo(threshold()) > 0)
                .sorted(Comparator.comparing(queue -> queue.oldestDue().orElseThrow()))
                .map(queue -> new Problem(
                        "The oldest due job of queue " + queue.name() + " has waited for "
                                + DurationWords.of(
                                        cluster.since(queue.oldestDue().orElseThrow())),
                        "queues/" + queue.name()))
                .toList();
    }
}
