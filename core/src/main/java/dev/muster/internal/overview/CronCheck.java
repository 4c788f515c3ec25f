package dev.muster.internal.overview;

import dev.muster.overview.Finding.Severity;
import java.util.List;

/** A cron whose last tick enqueued no job. */
final class CronCheck implements Check {

    @Override
    public String name() {
        return "cron_problem";
    }

    @Override
    public String question() {
        return "Do all crons tick?";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "change the cron, or start a node that has its job";
    }

    @Override
    public String page() {
        return "crons";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.cronProblems().stream()
                .map(cron -> new Problem(
                        "Cron " + cron.name() + " could not enqueue its job"
                                + cron.due()
                                        .map(due -> ", which has been due for " + DurationWords.of(cluster.since(due)))
                                        .orElse("")
                                + " (" + cron.problem() + ")",
                        "crons/" + cron.name()))
                .toList();
    }
}
