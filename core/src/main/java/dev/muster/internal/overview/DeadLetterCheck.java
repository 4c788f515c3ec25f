package dev.muster.internal.overview;

import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.runtime.Plural;
import dev.muster.overview.Finding.Severity;
import java.util.List;

/** Jobs that have used all their attempts within the last hour. */
final class DeadLetterCheck implements Check {

    @Override
    public String name() {
        return "dead_letters";
    }

    @Override
    public String question() {
        return "Did jobs fail for good?";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "see why, and retry them";
    }

    @Override
    public String page() {
        return "jobs?status=failed";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        DeadLetters dead = cluster.deadLetters();
        if (dead.lastHour().count() == 0) {
            return List.of();
        }
        String last = dead.last()
                .map(at -> ", the last one " + DurationWords.of(cluster.since(at)) + " ago")
                .orElse("");
        return List.of(new Problem(
                dead.lastHour().words() + Plural.choose(dead.lastHour().count(), " job", " jobs")
                        + " failed for good within the last hour" + last,
                page()));
    }
}
